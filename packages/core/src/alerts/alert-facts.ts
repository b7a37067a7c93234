import { exactDollars } from "../money/exact-dollars.ts";
import { cleanText } from "../wire/clean-text.ts";
import { formatTime } from "./format-time.ts";
import { lineOf } from "./threshold.ts";

/** One line of an alert's supporting facts. */
export interface AlertFact {
  readonly label: string;
  readonly value: string;
}

type Metadata = Readonly<Record<string, unknown>>;
type Format = (value: unknown, metadata: Metadata) => string | null;

const MAX_TEXT = 200;

const text: Format = value => (typeof value === "string" && value !== "" ? cleanText(value, MAX_TEXT) : null);
const number: Format = value =>
  typeof value === "number" && Number.isFinite(value)
    ? value.toLocaleString("en-US", { maximumFractionDigits: 2 })
    : null;
const dollars: Format = value =>
  typeof value === "number" && Number.isFinite(value) ? exactDollars(Math.round(value)) : null;
const time: Format = value =>
  typeof value === "number" || typeof value === "string" ? formatTime(value) : null;
const withUnit =
  (unit: string): Format =>
  (value, metadata) => {
    const shown = number(value, metadata);
    return shown === null ? null : `${shown}${unit}`;
  };
const missing: Format = value =>
  typeof value === "number" && value > 0 ? `${value} (cost unknown, not included in any amount)` : null;
const percent = withUnit("%");

/** A threshold rule's numbers are in the unit of its metric. */
const measured: Format = (value, metadata) => {
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  switch (metadata.kind) {
    case "daily_cost":
    case "monthly_cost":
      return dollars(lineOf({ metric: metadata.kind, value }), metadata);
    case "error_rate":
      return percent(value * 100, metadata);
    case "latency_p99":
      return withUnit(" ms")(value, metadata);
    default:
      return number(value, metadata);
  }
};

/** The metadata that people are shown, in this order; the rest is for programs. */
const shown: readonly (readonly [name: string, label: string, format: Format])[] = [
  ["agent_key", "Agent", text],
  ["host", "Receiver", text],
  ["reason", "Reason", text],
  ["current_spending", "Spent", dollars],
  ["unpriced_calls", "Unpriced calls", missing],
  ["limit_microcents", "Limit", dollars],
  ["average_spending", "Usual per day", dollars],
  ["percentage_used", "Used", percent],
  ["percentage_increase", "Increase", percent],
  ["value", "Measured", measured],
  ["threshold_value", "Threshold", measured],
  ["error_rate_pct", "Error rate", percent],
  ["threshold_pct", "Threshold", percent],
  ["calls", "Calls", number],
  ["errors", "Errors", number],
  ["average_calls", "Usual per hour", number],
  ["multiple", "Times the usual", number],
  ["threshold_multiplier", "Threshold", withUnit(" times")],
  ["last_call_at", "Last call", time],
  ["threshold_hours", "Threshold", withUnit(" h")],
  ["period_id", "Period", text],
  ["enforcement_mode", "Enforcement", text],
  ["action", "Action", text],
];

export function alertFacts(metadata: Metadata): AlertFact[] {
  return shown.flatMap(([name, label, format]) => {
    const value = Object.hasOwn(metadata, name) ? format(metadata[name], metadata) : null;
    return value === null ? [] : [{ label, value }];
  });
}
