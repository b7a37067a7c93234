import { Outlet } from "@tanstack/react-router";
import { Tabs } from "../../parts/tabs.tsx";

const tabs = [
  { to: "/settings", title: "Organization", isExact: true },
  { to: "/settings/members", title: "Members" },
  { to: "/settings/plan", title: "Plan and limits" },
  { to: "/settings/sign-in", title: "Sign-in" },
] as const;

export function SettingsPage() {
  return (
    <>
      <Tabs label="Settings" tabs={tabs} />
      <Outlet />
    </>
  );
}
