import { exactDollars } from "../money/exact-dollars.ts";
import { MICROCENTS_PER_CENT } from "../money/money.ts";
import { dayPeriod, hourPeriod, monthPeriod } from "./alert-period.ts";
import { type AlertRule, isTwice, severityOf } from "./alert-rule.ts";
import type { AlertChannel, AlertType } from "./alert-types.ts";
import { MIN_CALLS } from "./error-rate.ts";
import { formatTime } from "./format-time.ts";
import { plainName } from "./plain-name.ts";
import { plusUnpriced } from "./plus-unpriced.ts";
import type { AlertPreferences } from "./preferences.ts";

export const thresholdMetrics = ["daily_cost", "monthly_cost", "error_rate", "latency_p99"] as const;
export type ThresholdMetric = (typeof thresholdMetrics)[number];

export const thresholdActions = ["email", "webhook", "pause_agent"] as const;
export type ThresholdAction = (typeof thresholdActions)[number];

/** A user-defined rule. */
export interface Threshold {
  readonly id: string;
  /** Both null: the whole organization. */
  readonly agentId: string | null;
  readonly agentKey: string | null;
  readonly metric: ThresholdMetric;
  /** Cents, a decimal fraction, or milliseconds. */
  readonly value: number;
  readonly action: ThresholdAction;
}

export interface ThresholdObservation {
  readonly threshold: Threshold;
  /** A moment within the day or month; for hourly metrics, the end of the hour. */
  readonly at: number;
  /** The metric's value: microcents, a decimal fraction, milliseconds. */
  readonly value: number;
  /** In the last hour; unused for costs. */
  readonly calls: number;
  /** In the day or month, not included in any amount here; unused for rates. */
  readonly unpricedCalls: number;
}

/** Conditions of the last hour continue across full hours; those of a day or month end with it. */
export function isHourly(metric: ThresholdMetric): boolean {
  return metric === "error_rate" || metric === "latency_p99";
}

/** A value that reaches the threshold. The user requested it, so it fires even if its type is disabled. */
export const threshold: AlertRule<ThresholdObservation> = (observed, preferences) => {
  const { threshold: rule, value, calls } = observed;
  const ofLastHour = isHourly(rule.metric);
  const line = lineOf(rule);
  if (value < line || (ofLastHour && calls < MIN_CALLS)) return null;
  const type: AlertType = ofLastHour ? "error_rate" : "cost_spike";
  return {
    ruleKey: `threshold:${rule.id}`,
    // A new value is a new threshold: raised after it was reached, it is armed again immediately.
    period: `${periodOf(rule.metric, observed.at)}:${rule.value}`,
    type,
    // A paused agent needs immediate attention.
    severity: severityOf(isTwice(value, line), rule.action === "pause_agent"),
    message: sentence(observed),
    metadata: {
      kind: rule.metric,
      threshold_id: rule.id,
      value: shownValue(observed),
      threshold_value: rule.value,
      ...(rule.agentKey === null ? {} : { agent_key: rule.agentKey }),
      action: rule.action,
      ...(ofLastHour ? { calls, window_minutes: 60 } : { unpriced_calls: observed.unpricedCalls }),
    },
    agentId: rule.agentId,
    notify: channelsOf(rule.action, type, preferences),
  };
};

/** In the unit of the observed value. */
export function lineOf({ metric, value }: Pick<Threshold, "metric" | "value">): number {
  // Thresholds in cents may have decimals, but spending is counted in whole microcents.
  return isHourly(metric) ? value : Math.ceil(Math.round(value * MICROCENTS_PER_CENT * 1000) / 1000);
}

function periodOf(metric: ThresholdMetric, atMs: number): string {
  switch (metric) {
    case "daily_cost":
      return dayPeriod(atMs);
    case "monthly_cost":
      return monthPeriod(atMs);
    case "error_rate":
    case "latency_p99":
      return hourPeriod(atMs);
    default:
      return metric satisfies never;
  }
}

function channelsOf(
  action: ThresholdAction,
  type: AlertType,
  preferences: AlertPreferences,
): readonly AlertChannel[] {
  return action === "pause_agent" ? preferences[type].channels : [action];
}

/** In the threshold's unit: cents to the microcent, a fraction with four decimals, milliseconds. */
function shownValue({ threshold: { metric }, value }: ThresholdObservation): number {
  switch (metric) {
    case "daily_cost":
    case "monthly_cost":
      return value / MICROCENTS_PER_CENT;
    case "error_rate":
      return Math.round(value * 10_000) / 10_000;
    case "latency_p99":
      return value;
    default:
      return metric satisfies never;
  }
}

function sentence({
  threshold: { metric, agentKey },
  value,
  at,
  calls,
  unpricedCalls,
}: ThresholdObservation): string {
  const agent = agentKey === null ? null : `the agent ${plainName(agentKey)}`;
  const byAgent = agent === null ? "" : ` by ${agent}`;
  const theCalls = `${agent === null ? "the" : `${agent}'s`} ${calls} calls in the hour up to ${formatTime(at)}`;
  switch (metric) {
    case "daily_cost":
      return `${exactDollars(value)}${plusUnpriced(unpricedCalls)} was spent on ${dayPeriod(at)}${byAgent}`;
    case "monthly_cost":
      return `${exactDollars(value)}${plusUnpriced(unpricedCalls)} was spent in ${monthPeriod(at)}${byAgent}`;
    case "error_rate":
      return `${Math.round(value * 10_000) / 100}% of ${theCalls} failed`;
    case "latency_p99":
      return `The slowest 1% of ${theCalls} took ${value} ms or longer`;
    default:
      return metric satisfies never;
  }
}
