import type { NamedTest } from "./prediction.ts";
import { recentHigherPValue } from "./recent-higher-p-value.ts";

const TREND_DAYS = 14;
const FEWEST_DAYS = 8;
const WEEK = 7;

/** How many whole days are looked at: the trend's last week is compared with the three before it. */
export const COMPARED_DAYS = 28;

interface Day {
  readonly at: number;
  readonly value: number;
}

interface RecentDays {
  /** What is missing, in words; null: nothing. */
  readonly insufficient: string | null;
  /** What the trend is read from. */
  readonly points: readonly Day[];
  readonly lastWeek: readonly Day[];
  /** Is the last week above the days before? In whole weeks, so that weekends do not count as a fall. */
  readonly comparison: NamedTest;
}

/** Of whole days since the first call, oldest first. */
export function recentDays(days: readonly Day[]): RecentDays {
  const values = days.map(({ value }) => value);
  const recent = Math.min(WEEK, Math.floor(values.length / 2));
  const split = values.length - recent;
  return {
    insufficient:
      days.length >= FEWEST_DAYS
        ? null
        : `needs ${FEWEST_DAYS} whole days since the first call, has ${days.length}`,
    points: days.slice(-TREND_DAYS),
    lastWeek: days.slice(-WEEK),
    comparison: {
      name: "fisher_exact_of_tops",
      p: recentHigherPValue(values.slice(split), values.slice(0, split)),
    },
  };
}
