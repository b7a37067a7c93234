import { mannKendall } from "../statistics/mann-kendall.ts";
import { theilSen } from "../statistics/theil-sen.ts";
import type { NamedTest } from "./prediction.ts";
import { DAY_MS } from "./usage-series.ts";

/** The longest forecast: a straight line through some hours says nothing beyond it. */
const HORIZON_MS = 30 * DAY_MS;

export interface Trend {
  /** The largest of the tests' p values: each of them has to speak for a rise. */
  readonly p: number;
  readonly tests: readonly NamedTest[];
  /** A unit's. */
  readonly slope: number;
  /** On the fitted line, now: one wild hour is not a trend. */
  readonly current: number;
  /** null: not within the horizon, at this slope. */
  readonly crossesAt: number | null;
}

/**
 * A rise is believed when two tests agree: the values rise in their order (Mann–Kendall), and they are above what
 * was before (`comparison`). A daily cycle alone passes the first in the morning, and not the second, which looks at
 * the same hours of other days. Where the line of Theil and Sen meets the threshold is the prediction.
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
  // Each value covers a whole unit: it is placed at its middle.
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
