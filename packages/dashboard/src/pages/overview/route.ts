import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  staticData: { title: "Overview", icon: "overview", key: "o", hasRange: true },
  component: lazyRouteComponent(() => import("./overview-page.tsx"), "OverviewPage"),
});
