import { DAY_MS, HOUR_MS, MINUTE_MS } from "@tollgate/core/time/durations";
import type { Range } from "../../data/range.ts";
import { plural } from "../../format/counts.ts";
import { clockTime, dayOf, minuteTime } from "../../format/time.ts";

const steps = [1, 3, 5, 15, 30]
  .map(minutes => minutes * MINUTE_MS)
  .concat(
    [1, 2, 6, 12].map(hours => hours * HOUR_MS),
    [1, 2, 7, 14, 30, 90, 365].map(days => days * DAY_MS),
  );
const MAX_STEPS = 15;

/** Milliseconds, in whole minutes. */
export const stepOf = (lengthMs: number) =>
  steps.find(one => lengthMs / one <= MAX_STEPS) ?? Math.ceil(lengthMs / MAX_STEPS / DAY_MS) * DAY_MS;

/** "2 days": how long a part of the range is. */
export function stepTitle({ lengthMs }: Pick<Range, "lengthMs">): string {
  const step = stepOf(lengthMs);
  if (step >= DAY_MS) return plural(Math.round(step / DAY_MS), "day");
  return step >= HOUR_MS ? plural(step / HOUR_MS, "hour") : plural(step / MINUTE_MS, "minute");
}

export interface TimeBucket {
  readonly from: string;
  readonly to: string;
  /** Stays the same while the window moves. */
  readonly key: string;
  readonly label: string;
  readonly title: string;
}

/**
 * A range cut at round UTC times, into at most 16 parts. Only the first and the last move with it: what is known of the
 * others stays true.
 */
export function bucketsOf({
  from,
  to,
  lengthMs,
}: Pick<Range, "from" | "to" | "lengthMs">): readonly TimeBucket[] {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const step = stepOf(lengthMs);
  const buckets: TimeBucket[] = [];
  for (let start = Math.floor(fromMs / step) * step; start < toMs; start += step) {
    const [first, end] = [Math.max(fromMs, start), Math.min(toMs, start + step)];
    buckets.push({
      from: new Date(first).toISOString(),
      to: new Date(end).toISOString(),
      key: String(start),
      label: lengthMs > 2 * DAY_MS ? dayOf(first) : clockTime(first),
      title: `${minuteTime(first)} to ${minuteTime(end)}`,
    });
  }
  return buckets;
}
