import { DAY_MS } from "./durations.ts";

type DayGroup = "day" | "week" | "month";

/** The first day of the group that a day belongs to: itself, its week's Monday, or the first of its month (UTC). */
export function groupStart(day: number, by: DayGroup): number {
  const date = new Date(day);
  switch (by) {
    case "day":
      return day;
    case "week":
      return day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
    case "month":
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
}

export function dateLabel(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

interface Day {
  readonly day: number;
  readonly calls: number;
  readonly cost_microcents: number;
  readonly unpriced_calls: number;
}

interface GroupedDays {
  /** "2026-11-09" */
  date: string;
  call_count: number;
  cost_microcents: number;
  unpriced_calls: number;
}

/** Groups days, in the same order; nothing is omitted or counted twice. */
export function groupDays(days: readonly Day[], by: DayGroup): GroupedDays[] {
  const groups = new Map<number, GroupedDays>();
  for (const { day, calls, cost_microcents: cost, unpriced_calls: unpriced } of days) {
    const start = groupStart(day, by);
    const group = groups.get(start) ?? {
      date: dateLabel(start),
      call_count: 0,
      cost_microcents: 0,
      unpriced_calls: 0,
    };
    group.call_count += calls;
    group.cost_microcents += cost;
    group.unpriced_calls += unpriced;
    groups.set(start, group);
  }
  return [...groups.values()];
}
