import { normalQuantile } from "../statistics/normal-distribution.ts";
import { DAY_MS } from "../time/durations.ts";
import { startOfMonth, startOfNextMonth } from "../time/month.ts";
import { startOfDay } from "../time/start-of-day.ts";
import { periodBurn } from "./period-burn.ts";
import type { Finding } from "./prediction.ts";
import { COMPARED_DAYS, recentDays } from "./recent-days.ts";
import { trendFinding } from "./trend-finding.ts";
import { trendToward } from "./trend-toward.ts";
import { type UsageSeries, wholeDays } from "./usage-series.ts";

const MINUTES = 60;

/** This month's calls approaching the monthly limit. null: no limit, or already reached. */
export function monthlyLimitRisk(series: UsageSeries, monthlyCalls: number, nowMs: number): Finding | null {
  if (!Number.isFinite(monthlyCalls)) return null;
  const from = startOfMonth(nowMs);
  const calls = series.days.reduce((sum, day) => (day.at >= from ? sum + day.calls : sum), 0);
  return periodBurn(
    { type: "rate_limit_risk", agentId: null, key: "rate_limit_risk:monthly" },
    series,
    {
      unit: "day",
      amountOf: day => day.calls,
      spent: calls,
      limit: monthlyCalls,
      countsFrom: from,
      endsAtMs: startOfNextMonth(nowMs),
      needsInWords: "the limit of the month needs",
      slopeUnit: "calls a day",
      sentence: (perDay, at) =>
        `${calls} of ${monthlyCalls} calls of this month are made, ${Math.round(perDay)} a day; the limit is expected to be reached at ${at}`,
    },
    nowMs,
  );
}

/** The busiest hour of each day, approaching one in which the per-minute limit is likely to be exceeded. */
export function burstLimitRisk(series: UsageSeries, burstPerMinute: number, nowMs: number): Finding {
  const subject = { type: "rate_limit_risk", agentId: null, key: "rate_limit_risk:burst" } as const;
  const { insufficient, points, comparison } = recentDays(peakHours(series, nowMs));
  if (insufficient !== null) return { ...subject, kind: "insufficient", reason: insufficient };
  const threshold = riskyHour(burstPerMinute);
  const trend = trendToward(points, comparison, threshold, nowMs, DAY_MS);
  return trendFinding(subject, trend, {
    n: points.length,
    unit: "day",
    window: { from: points[0]?.at ?? nowMs, to: startOfDay(nowMs) },
    slopeUnit: "calls an hour, each day",
    currentValue: Math.round(trend.current),
    thresholdValue: threshold,
    sentence: at =>
      `The busiest hour of a day has ${Math.round(trend.current)} calls, ${Number(trend.slope.toPrecision(3))} more each day; with ${threshold}, expected at ${at}, its busiest minute is likely to pass the limit of ${burstPerMinute} a minute`,
  });
}

function peakHours(series: UsageSeries, now: number): { readonly at: number; readonly value: number }[] {
  const peaks = new Map<number, number>();
  for (const hour of series.hours) {
    const day = startOfDay(hour.at);
    peaks.set(day, Math.max(peaks.get(day) ?? 0, hour.calls));
  }
  return wholeDays(series.days, now, COMPARED_DAYS, day => peaks.get(day.at) ?? 0);
}

/**
 * The number of calls in an hour whose busiest minute reaches the limit with a probability of one half, if calls are
 * independent: a minute has m ± √m calls, and the highest of 60 is z deviations above, Φ(z)^60 = ½. So m + z√m is the
 * limit. Bursty calls reach it sooner.
 */
function riskyHour(burstPerMinute: number): number {
  const z = normalQuantile(0.5 ** (1 / MINUTES));
  const root = (Math.sqrt(z * z + 4 * burstPerMinute) - z) / 2;
  return Math.round(MINUTES * root * root);
}
