import { MICROCENTS_PER_CENT } from "../money/money.ts";
import { DAY_MS } from "../time/durations.ts";
import { startOfMonth, startOfNextMonth } from "../time/month.ts";
import { dollarsInWords, notCountingUnpriced } from "./in-words.ts";
import { periodBurn } from "./period-burn.ts";
import type { Finding, Observation } from "./prediction.ts";
import { COMPARED_DAYS, recentDays } from "./recent-days.ts";
import { trendFinding } from "./trend-finding.ts";
import { trendToward } from "./trend-toward.ts";
import { type UsageSeries, wholeDays } from "./usage-series.ts";

/** A rise below a cent per day is not worth reporting. */
const MIN_USUAL_DAY = MICROCENTS_PER_CENT;

/** The threshold for the cost of a day. */
type DailyCostLine =
  | { readonly kind: "rule"; readonly id: string; readonly microcents: number }
  | { readonly kind: "spike"; readonly pct: number };

/** null: the cost is too small for any threshold. */
export function dailyCostOverrun(series: UsageSeries, line: DailyCostLine, nowMs: number): Finding | null {
  const { agentId } = series;
  const subject = {
    type: "cost_overrun",
    agentId,
    key: `cost_overrun:${agentId ?? "organization"}:${line.kind === "rule" ? line.id : "spike"}`,
  } as const;
  const days = recentDays(wholeDays(series.days, nowMs, COMPARED_DAYS, day => day.cost_microcents));
  const { insufficient, points, lastWeek, comparison } = days;
  if (insufficient !== null) return { ...subject, kind: "insufficient", reason: insufficient };
  const usual = lastWeek.reduce((sum, { value }) => sum + value, 0) / lastWeek.length;
  if (line.kind === "spike" && usual < MIN_USUAL_DAY) return null;
  const threshold = line.kind === "rule" ? line.microcents : Math.round((1 + line.pct / 100) * usual);
  const trend = trendToward(points, comparison, threshold, nowMs, DAY_MS);
  const window = { from: points[0]?.at ?? nowMs, to: (points.at(-1)?.at ?? nowMs) + DAY_MS };
  return trendFinding(subject, trend, {
    n: points.length,
    unit: "day",
    window,
    slopeUnit: "microcents a day",
    currentValue: Math.round(trend.current),
    thresholdValue: threshold,
    sentence: at =>
      `A day costs ${dollarsInWords(trend.current)}, ${dollarsInWords(trend.slope)} more each day${notCountingUnpriced(unpricedWithin(series, window))}; it is expected to reach ${dollarsInWords(threshold)}, ${lineInWords(line)}, at ${at}`,
  });
}

function unpricedWithin({ days }: UsageSeries, { from, to }: Observation["window"]): number {
  return days.reduce((sum, day) => (day.at >= from && day.at < to ? sum + day.unpriced_calls : sum), 0);
}

function lineInWords(line: DailyCostLine): string {
  return line.kind === "rule"
    ? "the line of the daily_cost rule"
    : `${line.pct}% above the mean day of the last week (cost_spike of the preferences)`;
}

/** This month's cost approaching a rule's threshold. null: already exceeded, which alerts report. */
export function monthlyCostOverrun(
  series: UsageSeries,
  rule: { readonly id: string; readonly microcents: number },
  nowMs: number,
): Finding | null {
  const from = startOfMonth(nowMs);
  const endsAtMs = startOfNextMonth(nowMs);
  const spent = series.days.reduce((sum, day) => (day.at >= from ? sum + day.cost_microcents : sum), 0);
  return periodBurn(
    {
      type: "cost_overrun",
      agentId: series.agentId,
      key: `cost_overrun:${series.agentId ?? "organization"}:${rule.id}`,
    },
    series,
    {
      unit: "day",
      amountOf: day => day.cost_microcents,
      spent,
      limit: rule.microcents,
      countsFrom: from,
      endsAtMs,
      needsInWords: "the monthly_cost rule needs",
      slopeUnit: "microcents a day",
      sentence: (perUnit, at) =>
        `This month has cost ${dollarsInWords(spent)}, ${dollarsInWords(perUnit)} a day${notCountingUnpriced(unpricedWithin(series, { from, to: endsAtMs }))}; it is expected to reach ${dollarsInWords(rule.microcents)}, the line of the monthly_cost rule, at ${at}`,
    },
    nowMs,
  );
}
