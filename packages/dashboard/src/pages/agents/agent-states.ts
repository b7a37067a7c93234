import { agentStatuses } from "@tollgate/core/agents/status";

/** What the list can be narrowed to. */
export const agentStates = [...agentStatuses, "paused"] as const;

export type AgentState = (typeof agentStates)[number];
