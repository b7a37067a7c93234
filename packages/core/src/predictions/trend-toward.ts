import { mannKendall } from "../statistics/mann-kendall.ts";
import { theilSen } from "../statistics/theil-sen.ts";
import { DAY_MS } from "../time/durations.ts";
import type { NamedTest } from "./prediction.ts";

/** The longest forecast: a straight line through a few hours says nothing beyond it. */
const HORIZON_MS = 30 * DAY_MS;

export interface Trend {
  /** The largest of the p values: every test has to support a rise. */
  readonly p: number;
  readonly tests: readonly NamedTest[];
  /** Per unit. */
  readonly slope: number;
  /** The fitted line's value now: one outlier is not a trend. */
  readonly current: number;
  /** null: not within the horizon at this slope. */
  readonly crossesAt: number | null;
}

/**
 * A rise is accepted if two tests agree: the values increase over time (Mann–Kendall), and they are above the earlier
 * ones (`comparison`). In the morning a daily cycle passes the first test, but not the second, which compares the same
 * hours of other days. The prediction is where the Theil–Sen line crosses the threshold.
 */
export function trendToward(
  points: readonly { readonly at: number; readonly value: number }[],
  comparison: NamedTest,
  threshold: number,
  nowMs: number,
  unitMs: number,
  inflation = 1,
): Trend {
  const order = mannKendall(
    points.map(({ value }) => value),
    inflation,
  );
  // Each value covers a whole unit, so it is placed at the middle.
  const line = theilSen(points.map(({ at, value }) => [(at - nowMs) / unitMs + 0.5, value] as const));
  const tests = [comparison, { name: `mann_kendall_${order?.method ?? "exact"}`, p: order?.pRising ?? 1 }];
  const slope = line?.slope ?? 0;
  const current = Math.max(0, line?.intercept ?? 0);
  const crossesAt = nowMs + Math.max(0, (threshold - current) / slope) * unitMs;
  return {
    p: Math.max(...tests.map(({ p }) => p)),
    tests,
    slope,
    current,
    crossesAt: slope > 0 && crossesAt <= nowMs + HORIZON_MS ? Math.round(crossesAt) : null,
  };
}
