import { budgetInWords } from "../alerts/budget-in-words.ts";
import type { BudgetCourse } from "./fleet-limits.ts";
import { dollarsInWords, notCountingUnpriced } from "./in-words.ts";
import { periodBurn } from "./period-burn.ts";
import type { Finding } from "./prediction.ts";
import type { CostSeries } from "./usage-series.ts";

/** A budget whose burn rate exhausts it before its period ends. null: already exhausted, which alerts report. */
export function budgetExhaustion(series: CostSeries, budget: BudgetCourse, nowMs: number): Finding | null {
  const name = budgetInWords(budget);
  const unit = budget.period === "daily" ? "hour" : "day";
  return periodBurn(
    { type: "budget_exhaustion", agentId: budget.agentId, key: `budget_exhaustion:${budget.id}` },
    series,
    {
      unit,
      amountOf: bucket => bucket.cost_microcents,
      spent: budget.spentMicrocents,
      limit: budget.limitMicrocents,
      countsFrom: budget.countsFrom,
      endsAtMs: budget.endsAtMs,
      needsInWords: `${name} needs`,
      slopeUnit: unit === "hour" ? "microcents an hour" : "microcents a day",
      sentence: (perUnit, at) =>
        `${name} of ${dollarsInWords(budget.limitMicrocents)} has ${dollarsInWords(budget.limitMicrocents - budget.spentMicrocents)} left and uses ${dollarsInWords(perUnit)} ${unit === "hour" ? "an hour" : "a day"}${notCountingUnpriced(budget.unpricedCalls)}; it is expected to be used up at ${at}`,
    },
    nowMs,
  );
}
