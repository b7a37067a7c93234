import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";
import { readAlertSearch } from "./alert-search.ts";

export const alertsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/alerts",
  staticData: { title: "Alerts", icon: "alerts", key: "l", hasTabs: true },
  validateSearch: readAlertSearch,
  component: lazyRouteComponent(() => import("./alerts-page.tsx"), "AlertsPage"),
});
