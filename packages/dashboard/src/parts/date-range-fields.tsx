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
}

export function DateRangeFields({ range, onChange }: DateRangeFieldsProps) {
  return (
    <>
      <TextField
        label="From"
        type="datetime-local"
        value={range.from}
        onChange={from => onChange({ ...range, from })}
        problem={parseRange(range) === null ? "must be before the end" : null}
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

/** In ISO 8601; null: not a valid range. */
export function parseRange({ from, to }: TypedRange): { readonly from: string; readonly to: string } | null {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  return fromMs < toMs ? { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() } : null;
}
