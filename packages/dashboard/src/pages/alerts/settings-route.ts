import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { alertsRoute } from "./route.ts";

export const alertSettingsRoute = createRoute({
  getParentRoute: () => alertsRoute,
  path: "settings",
  component: lazyRouteComponent(() => import("./alert-settings.tsx"), "AlertSettings"),
});
