import type { BudgetObservation } from "@tollgate/core/alerts/budget-line";
import type { DayObservation } from "@tollgate/core/alerts/cost-spike";
import { isHourly, type Threshold, type ThresholdObservation } from "@tollgate/core/alerts/threshold";
import { isOverWarning } from "@tollgate/core/budgets/percentage-used";
import { periodSpan } from "@tollgate/core/budgets/period";
import { DAY_MS } from "@tollgate/core/time/durations";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { ReadModel } from "@tollgate/storage/read-model/read-model";
import type { UsageWatch } from "@tollgate/storage/read-model/reading/watch-usage";
import { type BudgetRow, callsOf, countedWindow } from "../budgets/read-budgets.ts";
import type { UsualDays } from "./usual-days.ts";

/** A UTC day compared with the full days before it; null: there are none. */
export async function observeDay(
  usage: UsageWatch,
  usualDays: UsualDays,
  scope: Scope,
  day: number,
): Promise<DayObservation | null> {
  const daysBefore = await usualDays.before(scope, day);
  if (daysBefore.length === 0) return null;
  const costs = await usage.costByDay(scope, { from: day, to: day + DAY_MS });
  const { costMicrocents = 0, unpricedCalls = 0 } = costs.get(day) ?? {};
  return { day, spentMicrocents: costMicrocents, unpricedCalls, daysBefore };
}

/** Thresholds on daily and monthly cost, once for each of the days. */
export async function observeCostThresholds(
  usage: UsageWatch,
  scope: Scope,
  thresholds: readonly Threshold[],
  days: readonly number[],
): Promise<ThresholdObservation[]> {
  const observed: ThresholdObservation[] = [];
  for (const threshold of thresholds.filter(({ metric }) => !isHourly(metric))) {
    const period = threshold.metric === "daily_cost" ? "daily" : "monthly";
    for (const span of spansOf(period, days)) {
      const window = { from: span.startsAtMs, to: span.endsAtMs };
      const costs = [...(await usage.costByDay(scope, window, threshold.agentId)).values()];
      const value = costs.reduce((sum, { costMicrocents }) => sum + costMicrocents, 0);
      const unpricedCalls = costs.reduce((sum, day) => sum + day.unpricedCalls, 0);
      observed.push({ threshold, at: span.startsAtMs, value, calls: 0, unpricedCalls });
    }
  }
  return observed;
}

/** Each budget, in each of its periods that the days touch, with the gateway's own count. */
export async function observeBudgets(
  readModel: Pick<ReadModel, "budgetSpend" | "unpricedCalls">,
  scope: Scope,
  budgets: readonly BudgetRow[],
  days: readonly number[],
): Promise<BudgetObservation[]> {
  const observed: BudgetObservation[] = [];
  for (const row of budgets) {
    const { period } = row;
    for (const span of spansOf(period, days)) {
      const spend = await readModel.budgetSpend([{ id: row.id, since: row.since, period: span.id }]);
      const spent = spend.get(row.id)?.settledMicrocents ?? 0;
      // Only an alert mentions unpriced calls, so otherwise they are not read.
      const isOver = isOverWarning(spent, row.limit_microcents, row.warning_pct);
      observed.push({
        id: row.id,
        agentId: row.agent_id,
        agentKey: row.agent_key,
        keyId: row.key_id,
        customerId: row.customer_id,
        period,
        periodId: span.id,
        since: row.since,
        limitMicrocents: row.limit_microcents,
        warningPct: row.warning_pct,
        enforcementMode: row.enforcement_mode,
        spentMicrocents: spent,
        unpricedCalls: isOver
          ? await readModel.unpricedCalls(scope, countedWindow(row, span), callsOf(row))
          : 0,
      });
    }
  }
  return observed;
}

function spansOf(period: "daily" | "monthly", days: readonly number[]) {
  return [...new Map(days.map(day => periodSpan(period, day)).map(span => [span.id, span])).values()];
}
