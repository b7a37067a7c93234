import { judgeCosts } from "./judge-costs.ts";
import { judgeLastHour, judgeNewCalls } from "./judge-last-hour.ts";
import { mergeDrafts } from "./merge-drafts.ts";
import { isTooLateToAct } from "./new-call.ts";
import { withPause } from "./pause-by-threshold.ts";
import type { ScopeEvaluation } from "./scope-evaluation.ts";
import { settleAlerts } from "./settle-alerts.ts";

/**
 * Evaluates an organization's rules, raises new alerts and resolves those that are over. Costs only grow, so one
 * evaluation after many calls misses nothing; rates rise and fall, so the last hour is evaluated after every call.
 * Resolves with whether anything is or was over its threshold.
 */
export async function evaluateScope(evaluation: ScopeEvaluation): Promise<boolean> {
  const { control, scope, endsLastHour, hasOpenAlerts } = evaluation;
  const afterCalls = await judgeNewCalls(evaluation);
  const lastHour = await judgeLastHour(evaluation);
  const costs = await judgeCosts(evaluation);

  const holding = [...lastHour, ...costs.holding];
  const toRaise = [...afterCalls, ...(isLastHourRecent(evaluation) ? lastHour : []), ...costs.toRaise];
  const candidates = mergeDrafts(toRaise).map(draft => withPause(evaluation, draft));
  if (candidates.length === 0 && !hasOpenAlerts) return false;
  await settleAlerts(control, scope, holding, candidates, endsLastHour);
  return candidates.length > 0;
}

/**
 * With a backlog, the hour being evaluated may be long past. It then raises nothing by itself: thresholds crossed by a
 * call are raised with the call, and an hour recounted from the facts does not know which of its calls were imported.
 */
function isLastHourRecent({ lastHour, now }: ScopeEvaluation): boolean {
  return !isTooLateToAct(lastHour.at, now);
}
