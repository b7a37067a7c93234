import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents/$agentId",
  staticData: { title: "Agent", hasRange: true },
  component: lazyRouteComponent(() => import("./agent-page.tsx"), "AgentPage"),
});
