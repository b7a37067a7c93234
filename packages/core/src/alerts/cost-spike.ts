import { formatDollars } from "../money/format-dollars.ts";
import { divideHalfEven } from "../money/money.ts";
import { modifiedZScore } from "../statistics/modified-z-score.ts";
import type { AlertDraft } from "./alert-draft.ts";
import { dayPeriod } from "./alert-period.ts";
import { type AlertRule, isTwice, severityOf } from "./alert-rule.ts";
import { plusUnpriced } from "./plus-unpriced.ts";

export interface DayObservation {
  /** Any moment of the UTC day. */
  readonly day: number;
  readonly spentMicrocents: number;
  /** Not included in any amount here. */
  readonly unpricedCalls: number;
  /** Cost of each full day before it since the first activity, at most seven; 0 for a day without calls. */
  readonly daysBefore: readonly number[];
}

const MIN_DAYS = 3;
/** With fewer days, the spread is unknown. */
const DAYS_TO_PROVE = 7;
const OUTLIER = 3.5;
/** Percentages are compared as integer millionths: rounding could put an amount on the wrong side of the threshold. */
const SCALE = 1_000_000;

/** The day's cost exceeds the mean of the preceding days by the configured percentage. */
export const costSpike: AlertRule<DayObservation> = (
  observed,
  { cost_spike: { enabled, threshold_pct } },
) => {
  const { daysBefore } = observed;
  if (!enabled || daysBefore.length < MIN_DAYS) return null;
  const sum = daysBefore.reduce((total, spent) => total + BigInt(spent), 0n);
  // After a week without cost there is no usual day to compare with.
  if (sum <= 0n || !isMoreThan(observed, sum, threshold_pct)) return null;
  const average = Number(divideHalfEven(sum, BigInt(daysBefore.length)));
  const increase = increasePct(observed, sum);
  return draft(observed, average, increase, threshold_pct);
};

function isMoreThan({ spentMicrocents, daysBefore }: DayObservation, sum: bigint, pct: number): boolean {
  const line = BigInt(Math.round(pct * SCALE)) + BigInt(100 * SCALE);
  return BigInt(spentMicrocents) * BigInt(daysBefore.length) * BigInt(100 * SCALE) > line * sum;
}

/** Two decimals. */
function increasePct({ spentMicrocents, daysBefore }: DayObservation, sum: bigint): number {
  const above = BigInt(spentMicrocents) * BigInt(daysBefore.length) - sum;
  return Number(divideHalfEven(above * 10_000n, sum)) / 100;
}

function draft(
  { day, spentMicrocents, unpricedCalls, daysBefore }: DayObservation,
  average: number,
  increase: number,
  thresholdPct: number,
): AlertDraft {
  const score = daysBefore.length < DAYS_TO_PROVE ? null : modifiedZScore(spentMicrocents, daysBefore);
  const period = dayPeriod(day);
  return {
    ruleKey: "cost_spike",
    period,
    type: "cost_spike",
    severity: severityOf(isTwice(increase, thresholdPct), score !== null && score >= OUTLIER),
    message: `Spending on ${period} is ${formatDollars(spentMicrocents)}${plusUnpriced(unpricedCalls)}, ${Math.round(increase * 10) / 10}% above the mean of the last ${daysBefore.length} days (${formatDollars(average)})`,
    metadata: {
      current_spending: spentMicrocents,
      unpriced_calls: unpricedCalls,
      average_spending: average,
      percentage_increase: increase,
      threshold_pct: thresholdPct,
      days_compared: daysBefore.length,
      period_id: period,
    },
    agentId: null,
    notify: "preferences",
  };
}
