import { HOUR_MS } from "../time/durations.ts";
import type { AlertRule } from "./alert-rule.ts";
import { formatTime } from "./format-time.ts";
import { plainName } from "./plain-name.ts";

export interface AgentObservation {
  readonly agentId: string;
  readonly agentKey: string;
  readonly lastCallAt: number;
  /** When Tollgate first saw the agent, or last received an imported call for it. */
  readonly learnedAt: number;
  /** Archived or paused: no call is expected. */
  readonly isExcepted: boolean;
  readonly now: number;
}

/** An import comes in batches, oldest calls first: the next batch may have a later call. */
const IMPORT_GRACE_MS = 600_000;

/** No call from the agent for the configured hours; reported once per silence. */
export const idleAgent: AlertRule<AgentObservation> = (
  { agentId, agentKey, lastCallAt, learnedAt, isExcepted, now },
  { idle_agent: { enabled, threshold_hours } },
) => {
  if (!enabled || isExcepted || now < idleFrom(lastCallAt, learnedAt, threshold_hours)) return null;
  const lastCall = new Date(lastCallAt).toISOString();
  return {
    ruleKey: `idle_agent:${agentId}`,
    period: lastCall,
    type: "idle_agent",
    severity: "info",
    message: `The agent ${plainName(agentKey)} has not called since ${formatTime(lastCallAt)}`,
    metadata: {
      agent_id: agentId,
      agent_key: agentKey,
      last_call_at: lastCall,
      idle_hours: Math.floor(((now - lastCallAt) / HOUR_MS) * 100) / 100,
      threshold_hours,
    },
    agentId,
    notify: "preferences",
  };
};

/** The moment from which it counts as idle. The grace never exceeds the threshold: a live call needs none. */
export function idleFrom(lastCallAtMs: number, learnedAtMs: number, thresholdHours: number): number {
  const thresholdMs = thresholdHours * HOUR_MS;
  return Math.max(lastCallAtMs + thresholdMs, learnedAtMs + Math.min(IMPORT_GRACE_MS, thresholdMs));
}
