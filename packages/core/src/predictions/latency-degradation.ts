import { median } from "../statistics/median.ts";
import { HOUR_MS } from "../time/durations.ts";
import { hourlyInflation } from "./hourly-inflation.ts";
import type { Finding } from "./prediction.ts";
import { recentHigherPValue } from "./recent-higher-p-value.ts";
import { recentHours } from "./recent-hours.ts";
import { trendFinding } from "./trend-finding.ts";
import { trendToward } from "./trend-toward.ts";
import type { UsageSeries } from "./usage-series.ts";

/** Without a rule, the threshold is twice the usual latency. */
const DEGRADED_FACTOR = 2;

/** Minimum hours at the same time of day to determine the usual latency. */
const MIN_BASELINE_HOURS = 8;

interface HourOfLatency {
  readonly at: number;
  readonly calls: number;
  readonly value: number;
}

/**
 * Rising hourly latency: the 99th percentile approaching a rule's threshold, or otherwise the mean approaching twice
 * the usual value at this time of day.
 */
export function latencyDegradation(series: UsageSeries, ruleMs: number | null, nowMs: number): Finding {
  const { agentId } = series;
  const subject = {
    type: "latency_degradation",
    agentId,
    key: `latency_degradation:${agentId ?? "organization"}`,
  } as const;
  const hours = recentHours(latencies(series, ruleMs !== null), nowMs);
  if (hours.insufficient !== null) return { ...subject, kind: "insufficient", reason: hours.insufficient };
  const before = hours.sameHoursBefore.map(hour => hour.value);
  const isKnown = before.length >= MIN_BASELINE_HOURS;
  if (ruleMs === null && !isKnown) {
    const reason = `needs ${MIN_BASELINE_HOURS} hours of the 7 days before, at the same time of day, with at least 20 calls, has ${before.length}`;
    return { ...subject, kind: "insufficient", reason };
  }
  const threshold = ruleMs ?? DEGRADED_FACTOR * (median(before) ?? 0);
  const p = recentHigherPValue(
    hours.laterHalf.map(hour => hour.value),
    isKnown ? before : hours.earlierHalf.map(hour => hour.value),
  );
  const inflation = hourlyInflation(hours.window, hours.before);
  const comparison = { name: "fisher_exact_of_tops", p };
  const trend = trendToward(hours.window, comparison, threshold, nowMs, HOUR_MS, inflation);
  const what = ruleMs === null ? "The mean latency" : "The 99th percentile of latency";
  return trendFinding(subject, trend, {
    n: hours.window.length,
    unit: "hour",
    window: hours.span,
    slopeUnit: "ms an hour",
    currentValue: trend.current,
    thresholdValue: threshold,
    sentence: at =>
      `${what} is ${Math.round(trend.current)} ms and rises by ${Number(trend.slope.toPrecision(3))} ms an hour; it is expected to reach ${Math.round(threshold)} ms at ${at}`,
  });
}

function latencies(series: UsageSeries, isOfSlowest: boolean): HourOfLatency[] {
  if (isOfSlowest) {
    return (series.slowest ?? []).map(({ at, calls, p99_ms }) => ({ at, calls, value: p99_ms }));
  }
  return series.hours.map(({ at, calls, latency_sum_ms }) => ({ at, calls, value: latency_sum_ms / calls }));
}
