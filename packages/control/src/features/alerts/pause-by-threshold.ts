import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import { hourOf, isPeriodOver } from "@tollgate/core/alerts/alert-period";
import { isHourly, type Threshold } from "@tollgate/core/alerts/threshold";
import { periodSpan } from "@tollgate/core/budgets/period";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { type PausedAgent, pauseAgents } from "./pause-agents.ts";
import type { SideEffect } from "./raise-alert.ts";
import type { ScopeEvaluation } from "./scope-evaluation.ts";
import type { AlertCandidate } from "./settle-alerts.ts";

/** Adds the side effect of a threshold that pauses agents. */
export function withPause(evaluation: ScopeEvaluation, draft: AlertDraft): AlertCandidate {
  const threshold = evaluation.settings.thresholds.find(({ id }) => draft.metadata.threshold_id === id);
  // An alert about a day that has ended must not pause an agent on the next day.
  if (threshold?.action !== "pause_agent" || isLongAgo(draft.period, evaluation.now)) return { draft };
  return { draft, sideEffect: () => preparePause(evaluation, threshold) };
}

function isLongAgo(period: string, now: number): boolean {
  const hour = hourOf(period);
  return hour === null ? isPeriodOver(period, now) : now >= hour + 2 * HOUR_MS;
}

async function preparePause(evaluation: ScopeEvaluation, threshold: Threshold): Promise<SideEffect> {
  const { control, scope } = evaluation;
  const agents = await agentsOf(evaluation, threshold);
  return transaction => pauseAgents(transaction, control, scope, agents, threshold.id);
}

/** The threshold's agent; for an organization-wide threshold, every agent that called within its window. */
async function agentsOf(
  { control, scope, now }: ScopeEvaluation,
  { agentId, agentKey, metric }: Threshold,
): Promise<PausedAgent[]> {
  if (agentId !== null && agentKey !== null) return [{ id: agentId, agentKey }];
  const { agents } = await control.readModel.usageByAgent(scope, {
    from: startOfWindow(metric, now),
    to: now + 1,
  });
  return agents.map(({ agent_id, agent_key }) => ({ id: agent_id, agentKey: agent_key }));
}

function startOfWindow(metric: Threshold["metric"], now: number): number {
  if (isHourly(metric)) return now - HOUR_MS;
  return periodSpan(metric === "daily_cost" ? "daily" : "monthly", now).startsAtMs;
}
