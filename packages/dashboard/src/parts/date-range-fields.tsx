import { DAY_MS } from "@tollgate/core/time/durations";
import { zoneName } from "../format/time.ts";
import { TextField } from "./field.tsx";

/** As typed: local times such as 2026-11-15T08:30. */
export interface TypedRange {
  readonly from: string;
  readonly to: string;
}

interface DateRangeFieldsProps {
  readonly range: TypedRange;
  readonly onChange: (range: TypedRange) => void;
  readonly maxDays?: number;
}

export function DateRangeFields({ range, onChange, maxDays }: DateRangeFieldsProps) {
  const isOrdered = parseRange(range) !== null;
  const isShortEnough = parseRange(range, maxDays) !== null;
  return (
    <>
      <TextField
        label="From"
        type="datetime-local"
        value={range.from}
        onChange={from => onChange({ ...range, from })}
        problem={!isOrdered ? "must be before the end" : isShortEnough ? null : `at most ${maxDays} days`}
        required
      />
      <TextField
        label="To"
        type="datetime-local"
        value={range.to}
        onChange={to => onChange({ ...range, to })}
        help={`Times: ${zoneName()}`}
        required
      />
    </>
  );
}

/** In ISO 8601; null: not a valid range, or longer than `maxDays`. */
export function parseRange(
  { from, to }: TypedRange,
  maxDays = Number.POSITIVE_INFINITY,
): { readonly from: string; readonly to: string } | null {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  return fromMs < toMs && toMs - fromMs <= maxDays * DAY_MS
    ? { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
    : null;
}
