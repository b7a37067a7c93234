import { Outlet } from "@tanstack/react-router";
import { PageFilters } from "../../frame/page-filters.tsx";
import { Tabs } from "../../parts/tabs.tsx";

export function SavingsPage() {
  return (
    <>
      <Tabs
        label="Savings"
        tabs={[
          { to: "/savings", title: "Decisions" },
          { to: "/savings/suggestions", title: "Suggestions" },
          { to: "/savings/leaks", title: "Leak scan" },
          { to: "/savings/experiments", title: "Experiments" },
          { to: "/savings/verification", title: "Verification" },
        ]}
      />
      <PageFilters />
      <Outlet />
    </>
  );
}
