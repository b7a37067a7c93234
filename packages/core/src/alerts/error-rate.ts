import { wilsonInterval } from "../statistics/wilson-interval.ts";
import { groupDigits } from "../wire/group-digits.ts";
import { hourPeriod } from "./alert-period.ts";
import { type AlertRule, isTwice, severityOf } from "./alert-rule.ts";
import { formatTime } from "./format-time.ts";

export interface LastHourObservation {
  /** End of the hour. */
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
  /** In the seven days before it, since the first activity. */
  readonly usual: { readonly calls: number; readonly hours: number };
}

/** Fewer calls prove nothing: one error in two calls is not a rate, and one call after a quiet week is not a spike. */
export const MIN_CALLS = 20;
const ONE_SIDED_95 = 1.644853626951;

/** The error rate of the last hour exceeds the configured percentage. */
export const errorRate: AlertRule<LastHourObservation> = (
  { at, calls, errors },
  { error_rate: { enabled, threshold_pct } },
) => {
  if (!enabled || calls < MIN_CALLS || errors * 100 <= threshold_pct * calls) return null;
  const lowest = wilsonInterval(errors, calls, ONE_SIDED_95)?.low ?? 0;
  const rate = Math.round((errors / calls) * 10_000) / 100;
  return {
    ruleKey: "error_rate",
    period: hourPeriod(at),
    type: "error_rate",
    severity: severityOf(isTwice(errors * 100, threshold_pct * calls), lowest * 100 > threshold_pct),
    message: `${groupDigits(errors)} of the ${groupDigits(calls)} calls in the hour up to ${formatTime(at)} failed (${rate}%)`,
    metadata: { error_rate_pct: rate, threshold_pct, calls, errors, window_minutes: 60 },
    agentId: null,
    notify: "preferences",
  };
};
