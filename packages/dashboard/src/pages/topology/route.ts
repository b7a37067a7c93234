import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const topologyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/topology",
  staticData: { title: "Topology", icon: "topology", key: "t" },
  component: lazyRouteComponent(() => import("./topology-page.tsx"), "TopologyPage"),
});
