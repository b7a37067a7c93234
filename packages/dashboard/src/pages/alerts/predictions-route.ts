import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { alertsRoute } from "./route.ts";

export const predictionsRoute = createRoute({
  getParentRoute: () => alertsRoute,
  path: "predictions",
  staticData: { title: "Predictions", filters: ["agent"] },
  component: lazyRouteComponent(() => import("./predictions.tsx"), "Predictions"),
});
