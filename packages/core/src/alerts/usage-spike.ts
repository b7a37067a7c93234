import { rateRatioPValue } from "../statistics/rate-ratio-p-value.ts";
import { groupDigits } from "../wire/group-digits.ts";
import { hourPeriod } from "./alert-period.ts";
import { type AlertRule, isTwice, severityOf } from "./alert-rule.ts";
import { type LastHourObservation, MIN_CALLS } from "./error-rate.ts";
import { formatTime } from "./format-time.ts";

const MIN_HOURS = 24;
const PROVEN = 0.01;

/** The last hour had more calls than the configured multiple of a usual one. */
export const usageSpike: AlertRule<LastHourObservation> = (
  { at, calls, usual },
  { usage_spike: { enabled, threshold_multiplier } },
) => {
  if (!enabled || calls < MIN_CALLS || usual.hours < MIN_HOURS || usual.calls <= 0) return null;
  const line = threshold_multiplier * usual.calls;
  if (calls * usual.hours <= line) return null;
  // How likely is this many calls by chance in an hour at exactly the alerting rate?
  const chance = rateRatioPValue(usual.calls, usual.hours, calls, threshold_multiplier);
  const average = round(usual.calls / usual.hours);
  const multiple = round((calls * usual.hours) / usual.calls);
  return {
    ruleKey: "usage_spike",
    period: hourPeriod(at),
    type: "usage_spike",
    severity: severityOf(isTwice(calls * usual.hours, line), chance < PROVEN),
    message: `${groupDigits(calls)} calls in the hour up to ${formatTime(at)}, ${multiple} times the usual ${average}`,
    metadata: {
      calls,
      average_calls: average,
      multiple,
      threshold_multiplier,
      hours_compared: usual.hours,
      window_minutes: 60,
    },
    agentId: null,
    notify: "preferences",
  };
};

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
