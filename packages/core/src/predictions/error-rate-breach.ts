import { fisherExact } from "../statistics/fisher-exact.ts";
import { HOUR_MS } from "../time/durations.ts";
import { hourlyInflation } from "./hourly-inflation.ts";
import { percentInWords, pointsInWords } from "./in-words.ts";
import type { Finding } from "./prediction.ts";
import { recentHours } from "./recent-hours.ts";
import { trendFinding } from "./trend-finding.ts";
import { trendToward } from "./trend-toward.ts";
import type { UsageBucket, UsageSeries } from "./usage-series.ts";

/** An agent with fewer earlier calls is compared with the start of its own window. */
const MIN_BASELINE_CALLS = 100;

/** Hourly error rate approaching `threshold` (a fraction). */
export function errorRateBreach(series: UsageSeries, threshold: number, nowMs: number): Finding {
  const { agentId } = series;
  const subject = {
    type: "error_rate_breach",
    agentId,
    key: `error_rate_breach:${agentId ?? "organization"}`,
  } as const;
  const hours = recentHours(series.hours, nowMs);
  if (hours.insufficient !== null) return { ...subject, kind: "insufficient", reason: hours.insufficient };
  const baseline =
    sumOf(hours.sameHoursBefore).calls >= MIN_BASELINE_CALLS ? hours.sameHoursBefore : hours.earlierHalf;
  const before = sumOf(baseline);
  const lately = sumOf(hours.laterHalf);
  const p = fisherExact(lately.errors, lately.calls, before.errors, before.calls) ?? 1;
  const points = hours.window.map(rateOf);
  const inflation = hourlyInflation(points, hours.before.map(rateOf));
  const trend = trendToward(points, { name: "fisher_exact", p }, threshold, nowMs, HOUR_MS, inflation);
  return trendFinding(subject, trend, {
    n: hours.window.length,
    unit: "hour",
    window: hours.span,
    slopeUnit: "fraction an hour",
    currentValue: trend.current,
    thresholdValue: threshold,
    sentence: at =>
      `The error rate is ${percentInWords(trend.current)} and rises by ${pointsInWords(trend.slope)} an hour; it is expected to reach ${percentInWords(threshold)} at ${at}`,
  });
}

function rateOf({ at, errors, calls }: UsageBucket): { at: number; value: number } {
  return { at, value: errors / calls };
}

function sumOf(hours: readonly UsageBucket[]): { calls: number; errors: number } {
  return hours.reduce((sum, hour) => ({ calls: sum.calls + hour.calls, errors: sum.errors + hour.errors }), {
    calls: 0,
    errors: 0,
  });
}
