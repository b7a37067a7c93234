import { Outlet } from "@tanstack/react-router";
import { useRole } from "../../data/session.tsx";
import { PageFilters } from "../../frame/page-filters.tsx";
import { Tabs } from "../../parts/tabs.tsx";

const tabs = [
  { to: "/settings", title: "Organization" },
  { to: "/settings/members", title: "Members" },
  { to: "/settings/plan", title: "Plan and limits" },
  { to: "/settings/prices", title: "Prices" },
  { to: "/settings/sign-in", title: "Sign-in" },
] as const;

export function SettingsPage() {
  const { can } = useRole();
  return (
    <>
      <Tabs
        label="Settings"
        tabs={[...tabs, { to: "/settings/audit", title: "Audit log", isHidden: !can("audit.list") }]}
      />
      <PageFilters />
      <Outlet />
    </>
  );
}
