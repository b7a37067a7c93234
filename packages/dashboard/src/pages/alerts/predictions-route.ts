import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readPredictionState } from "./prediction-state.ts";
import { alertsRoute } from "./route.ts";

export const predictionsRoute = createRoute({
  getParentRoute: () => alertsRoute,
  path: "predictions",
  validateSearch: readPredictionState,
  staticData: { filters: ["agent"] },
  component: lazyRouteComponent(() => import("./predictions.tsx"), "Predictions"),
});
