import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const reportRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/report",
  staticData: { title: "Reports", icon: "report", key: "r" },
  component: lazyRouteComponent(() => import("./report-page.tsx"), "ReportPage"),
});
