import { DAY_MS, HOUR_MS } from "../time/durations.ts";
import { startOfHour } from "../time/start-of-day.ts";

const WINDOW_HOURS = 24;
const BASELINE_DAYS = 7;
const MIN_HOURS = 8;
/** The rate and latency of an hour with fewer calls are mostly noise. */
const MIN_CALLS = 20;

interface RecentHours<Hour> {
  /** What data is missing, as text; null: none. */
  readonly insufficient: string | null;
  /** Whole hours of the last 24 with enough calls, oldest first. */
  readonly window: readonly Hour[];
  readonly earlierHalf: readonly Hour[];
  readonly laterHalf: readonly Hour[];
  /** Hours of the 7 days before at the same times of day as the later half, with enough calls. */
  readonly sameHoursBefore: readonly Hour[];
  /** All hours of the 7 days before with enough calls, oldest first. */
  readonly before: readonly Hour[];
  readonly span: { readonly from: number; readonly to: number };
}

/** How far back hours are read: the window, its baseline, and the current hour. */
export const HOURS_BACK_MS = (BASELINE_DAYS + 1) * DAY_MS + HOUR_MS;

export function recentHours<Hour extends { readonly at: number; readonly calls: number }>(
  hours: readonly Hour[],
  nowMs: number,
): RecentHours<Hour> {
  const to = startOfHour(nowMs);
  const from = to - WINDOW_HOURS * HOUR_MS;
  const busy = hours.filter(hour => hour.calls >= MIN_CALLS && hour.at < to);
  const window = busy.filter(hour => hour.at >= from);
  const middle = Math.floor(window.length / 2);
  const laterHalf = window.slice(middle);
  const before = busy.filter(hour => hour.at < from && hour.at >= from - BASELINE_DAYS * DAY_MS);
  const clock = new Set(laterHalf.map(hour => hour.at % DAY_MS));
  return {
    insufficient:
      window.length >= MIN_HOURS
        ? null
        : `needs ${MIN_HOURS} of the last ${WINDOW_HOURS} hours with at least ${MIN_CALLS} calls, has ${window.length}`,
    window,
    earlierHalf: window.slice(0, middle),
    laterHalf,
    sameHoursBefore: before.filter(hour => clock.has(hour.at % DAY_MS)),
    before,
    span: { from, to },
  };
}
