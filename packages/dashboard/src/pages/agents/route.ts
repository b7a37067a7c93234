import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";
import { type AgentState, agentStates } from "./agent-states.ts";

interface AgentsSearch {
  /** Part of a name or key. */
  readonly q?: string | undefined;
  readonly state?: AgentState | undefined;
}

export const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents",
  validateSearch: (raw: Readonly<Record<string, unknown>>): AgentsSearch => {
    const state = agentStates.find(one => one === raw.state);
    return {
      ...(typeof raw.q === "string" && raw.q !== "" ? { q: raw.q.slice(0, 256) } : {}),
      ...(state === undefined ? {} : { state }),
    };
  },
  staticData: { title: "Agents", icon: "agents", key: "a", hasRange: true },
  component: lazyRouteComponent(() => import("./agents-page.tsx"), "AgentsPage"),
});
