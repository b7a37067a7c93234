import type { NamedTest } from "./prediction.ts";
import { recentHigherPValue } from "./recent-higher-p-value.ts";

const TREND_DAYS = 14;
const MIN_DAYS = 8;
const WEEK = 7;

/** Number of whole days: the trend's last week is compared with the three before it. */
export const COMPARED_DAYS = 28;

interface Day {
  readonly at: number;
  readonly value: number;
}

interface RecentDays {
  /** What data is missing, as text; null: none. */
  readonly insufficient: string | null;
  /** The data points of the trend. */
  readonly points: readonly Day[];
  readonly lastWeek: readonly Day[];
  /** Is the last week above the days before? In whole weeks, so that weekends do not count as a decrease. */
  readonly comparison: NamedTest;
}

/** From whole days since the first call, oldest first. */
export function recentDays(days: readonly Day[]): RecentDays {
  const values = days.map(({ value }) => value);
  const recent = Math.min(WEEK, Math.floor(values.length / 2));
  const split = values.length - recent;
  return {
    insufficient:
      days.length >= MIN_DAYS
        ? null
        : `needs ${MIN_DAYS} whole days since the first call, has ${days.length}`,
    points: days.slice(-TREND_DAYS),
    lastWeek: days.slice(-WEEK),
    comparison: {
      name: "fisher_exact_of_tops",
      p: recentHigherPValue(values.slice(split), values.slice(0, split)),
    },
  };
}
