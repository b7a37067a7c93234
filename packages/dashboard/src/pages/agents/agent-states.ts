import { agentStatuses } from "@tollgate/core/agents/status";

/** States that the list can be filtered by. */
export const agentStates = [...agentStatuses, "paused"] as const;

export type AgentState = (typeof agentStates)[number];
