import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import { isPeriodOver } from "@tollgate/core/alerts/alert-period";
import { alertRules } from "@tollgate/core/alerts/alert-rules";
import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { applyRules } from "./apply-rules.ts";
import { judgeBudgets } from "./judge-budgets.ts";
import { isHistory } from "./new-call.ts";
import { observeCostThresholds, observeDay } from "./observe-costs.ts";
import type { ScopeEvaluation } from "./scope-evaluation.ts";

/** Events may be reported long after the fact; it is too late to act on older days. */
const OLDEST_DAYS = 7;

interface CostDrafts {
  /** Every condition that is true now, raised or not. */
  readonly holding: readonly AlertDraft[];
  readonly toRaise: readonly AlertDraft[];
}

/** Judges the costs of today and of every day with a new call: by day, by threshold and by budget. */
export async function judgeCosts(evaluation: ScopeEvaluation): Promise<CostDrafts> {
  const { calls, usualDays, scope, now } = evaluation;
  // Late calls change the days that today is compared with.
  if (calls.some(({ at }) => at < startOfDay(now))) usualDays.forget(scope);
  const days = daysTouched(evaluation);
  const ofDays = await judgeDays(evaluation, days);
  const ofThresholds = await judgeThresholds(evaluation, days);
  const ofBudgets = await judgeBudgets(evaluation, days);
  const all = [...ofDays, ...ofThresholds, ...ofBudgets.holding];
  return {
    holding: all.filter(({ period }) => !isPeriodOver(period, now)),
    toRaise: [...ofDays, ...ofThresholds, ...ofBudgets.toRaise],
  };
}

async function judgeDays(
  { usage, usualDays, scope, settings: { preferences } }: ScopeEvaluation,
  days: readonly number[],
): Promise<AlertDraft[]> {
  const drafts: AlertDraft[] = [];
  for (const day of days) {
    const observed = await observeDay(usage, usualDays, scope, day);
    if (observed !== null) drafts.push(...applyRules(alertRules.day, observed, preferences));
  }
  return drafts;
}

async function judgeThresholds(
  { usage, scope, settings: { preferences, thresholds } }: ScopeEvaluation,
  days: readonly number[],
): Promise<AlertDraft[]> {
  const observations = await observeCostThresholds(usage, scope, thresholds, days);
  return observations.flatMap(observed => applyRules(alertRules.threshold, observed, preferences));
}

/** Today and every day with a new call, so that yesterday is still evaluated after downtime over midnight. */
function daysTouched({ calls, now }: ScopeEvaluation): number[] {
  const today = startOfDay(now);
  const days = new Set([today]);
  for (const call of calls) {
    const day = startOfDay(call.at);
    if (day < today && day >= today - OLDEST_DAYS * DAY_MS && !isHistory(call, now)) days.add(day);
  }
  return [...days].sort((a, b) => a - b);
}
