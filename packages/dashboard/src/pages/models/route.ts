import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const modelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/models",
  staticData: {
    title: "Models",
    icon: "models",
    key: "m",
    hasRange: true,
    filters: ["agent", "customer", "key", "provider", "status", "source"],
  },
  component: lazyRouteComponent(() => import("./models-page.tsx"), "ModelsPage"),
});
