import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { modelsRoute } from "./route.ts";

/** One model, in a panel beside the list. Names of models contain slashes, which the router encodes. */
export const modelRoute = createRoute({
  getParentRoute: () => modelsRoute,
  path: "$model",
  component: lazyRouteComponent(() => import("./model-panel.tsx"), "ModelPanel"),
});
