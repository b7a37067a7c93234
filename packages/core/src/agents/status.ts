import { DAY_MS } from "../time/durations.ts";

export const agentStatuses = ["active", "idle", "error", "archived"] as const;

export type AgentStatus = (typeof agentStatuses)[number];

export interface AgentActivity {
  readonly isArchived: boolean;
  /** Epoch milliseconds; null: no calls yet. */
  readonly lastCallAt: number | null;
  /** In the last 60 minutes. */
  readonly recentCalls: number;
  readonly recentErrors: number;
}

/** `read-agents.ts` uses the same two values in SQL. */
export const ENOUGH_CALLS = 5;
export const IDLE_AFTER_MS = DAY_MS;

export function agentStatus(agent: AgentActivity, nowMs: number): AgentStatus {
  if (agent.isArchived) return "archived";
  if (agent.recentCalls >= ENOUGH_CALLS && agent.recentErrors * 2 >= agent.recentCalls) return "error";
  if (agent.lastCallAt === null || nowMs - agent.lastCallAt >= IDLE_AFTER_MS) return "idle";
  return "active";
}
