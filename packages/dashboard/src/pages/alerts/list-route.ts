import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { alertsRoute } from "./route.ts";

/** The list, with one alert beside it. */
export const alertListRoute = createRoute({
  getParentRoute: () => alertsRoute,
  id: "list",
  staticData: { hasRange: true },
  component: lazyRouteComponent(() => import("./alert-list.tsx"), "AlertList"),
});

export const alertRoute = createRoute({
  getParentRoute: () => alertListRoute,
  path: "$alertId",
  component: lazyRouteComponent(() => import("./alert-panel.tsx"), "AlertPanel"),
});

/** The list alone. */
export const alertIndexRoute = createRoute({ getParentRoute: () => alertListRoute, path: "/" });
