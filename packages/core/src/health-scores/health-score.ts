import { DAY_MS } from "../time/durations.ts";
import { gradeOf, type HealthGrade, wholeScore } from "./grade.ts";
import type { HealthParts } from "./health-parts.ts";

/** Fewer calls within 30 days show nothing. */
export const MIN_CALLS = 20;

/** An agent without calls for this long may have changed since. */
const STALE_AFTER_MS = 7 * DAY_MS;

export const weights: { readonly [part in keyof HealthParts]: number } = {
  reliability: 30,
  cost_efficiency: 25,
  outcomes: 20,
  latency_steadiness: 15,
  budgets: 10,
};

export type HealthScore =
  | {
      readonly status: "scored";
      /** An integer from 0 to 100. */
      readonly score: number;
      readonly grade: HealthGrade;
      /** The share of the weights whose parts had data, from 0 to 1. */
      readonly data_completeness: number;
    }
  | { readonly status: "insufficient_data"; readonly data_completeness: number };

/**
 * The weighted mean of the parts with data. A part without data is excluded and its weight goes to the others: counted
 * as 0 it would punish an agent for something unmeasured, counted as 1 it would reward it.
 */
export function healthScore(parts: HealthParts, calls: number): HealthScore {
  const { mean, completeness } = weightedMean(
    Object.entries(weights).map(([part, weight]) => [weight, parts[part as keyof HealthParts]]),
  );
  if (mean === null || calls < MIN_CALLS) {
    return { status: "insufficient_data", data_completeness: completeness };
  }
  const score = wholeScore(100 * mean);
  return { status: "scored", score, grade: gradeOf(score), data_completeness: completeness };
}

export function weightedMean(parts: readonly (readonly [weight: number, value: number | null])[]): {
  readonly mean: number | null;
  readonly completeness: number;
} {
  let [all, available, sum] = [0, 0, 0];
  for (const [weight, value] of parts) {
    all += weight;
    if (value === null) continue;
    available += weight;
    sum += weight * value;
  }
  return { mean: available === 0 ? null : sum / available, completeness: all === 0 ? 0 : available / all };
}

export function isStale(lastCallAtMs: number, nowMs: number): boolean {
  return nowMs - lastCallAtMs >= STALE_AFTER_MS;
}
