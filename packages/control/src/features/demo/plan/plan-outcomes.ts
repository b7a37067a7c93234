import type { outcomeSources } from "@tollgate/core/contract/outcomes";
import { DAY_MS } from "@tollgate/core/time/durations";
import type { Draw } from "./draw.ts";
import type { AgentKey } from "./fleet.ts";

/** An outcome of `POST /api/outcomes`, attributed to its session. */
export interface PlannedOutcome {
  readonly name: string;
  readonly session_id: string;
  readonly outcome_type: string;
  readonly source: (typeof outcomeSources)[number];
  readonly success?: boolean;
  readonly value_cents?: number;
}

/** A session that took place. */
export interface PastSession {
  readonly id: string;
  readonly workflow: string;
  readonly endedAtMs: number;
  readonly lastAgent: AgentKey;
  readonly lastFailed: boolean;
}

/** Outcomes are dated when they are reported, so only those of recent sessions are believable. */
const REPORTED_WITHIN_MS = 7 * DAY_MS;
const RESOLVED_SAVES_CENTS = 350;

/** Most support sessions are rated; some sell an upgrade, and a few of those sales are refunded. */
export function planOutcomes(sessions: readonly PastSession[], nowMs: number, draw: Draw): PlannedOutcome[] {
  const recent = sessions.filter(({ endedAtMs }) => nowMs - endedAtMs <= REPORTED_WITHIN_MS);
  return recent.flatMap(session => outcomesOf(session, draw));
}

function outcomesOf({ id, workflow, lastAgent, lastFailed }: PastSession, draw: Draw): PlannedOutcome[] {
  if (workflow !== "support" || !draw.isTrue(0.8)) return [];
  const isResolved = draw.isTrue(lastFailed ? 0.15 : 0.88);
  const resolved: PlannedOutcome = {
    name: "ticket resolved",
    session_id: id,
    outcome_type: "cost_saving",
    source: "support_desk",
    success: isResolved,
    ...(isResolved ? { value_cents: RESOLVED_SAVES_CENTS } : {}),
  };
  if (lastAgent !== "billing-agent" || !isResolved || !draw.isTrue(0.5)) return [resolved];
  const value = draw.logNormal(4900, 0.6);
  const sale: PlannedOutcome = {
    name: "plan upgraded",
    session_id: id,
    outcome_type: "revenue",
    source: "payments",
    success: true,
    value_cents: value,
  };
  if (!draw.isTrue(0.3)) return [resolved, sale];
  return [resolved, sale, { ...sale, name: "upgrade refunded", value_cents: -value }];
}
