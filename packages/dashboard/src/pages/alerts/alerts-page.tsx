import { Outlet } from "@tanstack/react-router";
import { PageFilters } from "../../frame/page-filters.tsx";
import { Tabs } from "../../parts/tabs.tsx";

export function AlertsPage() {
  return (
    <>
      <Tabs
        label="Alerts"
        tabs={[
          { to: "/alerts", title: "Alerts" },
          { to: "/alerts/predictions", title: "Predictions" },
          { to: "/alerts/settings", title: "Rules and channels" },
        ]}
      />
      <PageFilters />
      <Outlet />
    </>
  );
}
