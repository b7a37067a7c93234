import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { callsRoute } from "./route.ts";

/** One call, in a panel beside the list. */
export const callRoute = createRoute({
  getParentRoute: () => callsRoute,
  path: "$callId",
  component: lazyRouteComponent(() => import("./call-panel.tsx"), "CallPanel"),
});
