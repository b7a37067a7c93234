import { startOfMonth } from "@tollgate/core/time/month";

export interface SpendDay {
  /** A UTC day, such as 2026-11-16. */
  readonly date: string;
  readonly costMicrocents: number;
  readonly unpricedCalls: number;
}

export interface SpendPeriod {
  /** Its first UTC day. */
  readonly date: string;
  readonly costMicrocents: number;
  readonly unpricedCalls: number;
}

/** Days as they are, or added up by UTC month. */
export function periodsOf(days: readonly SpendDay[], period: "daily" | "monthly"): readonly SpendPeriod[] {
  if (period === "daily") return days;
  const months = new Map<string, SpendPeriod>();
  for (const day of days) {
    const date = new Date(startOfMonth(Date.parse(day.date))).toISOString().slice(0, 10);
    const known = months.get(date);
    months.set(date, {
      date,
      costMicrocents: (known?.costMicrocents ?? 0) + day.costMicrocents,
      unpricedCalls: (known?.unpricedCalls ?? 0) + day.unpricedCalls,
    });
  }
  return [...months.values()];
}

interface LimitCheck {
  readonly periods: number;
  /** Periods in which more than the limit was spent. */
  readonly over: readonly SpendPeriod[];
  /** Spent in them beyond the limit. */
  readonly beyondMicrocents: number;
  readonly totalMicrocents: number;
  /** The most expensive period; null: there is none. */
  readonly most: SpendPeriod | null;
  readonly unpricedCalls: number;
}

/** Effect of a limit on past periods, had everybody made the same calls. */
export function checkLimit(periods: readonly SpendPeriod[], limitMicrocents: number): LimitCheck {
  const over = periods.filter(({ costMicrocents }) => costMicrocents > limitMicrocents);
  const sum = (of: (period: SpendPeriod) => number, list = periods) =>
    list.reduce((total, period) => total + of(period), 0);
  return {
    periods: periods.length,
    over,
    beyondMicrocents: sum(({ costMicrocents }) => costMicrocents - limitMicrocents, over),
    totalMicrocents: sum(({ costMicrocents }) => costMicrocents),
    most: periods.reduce<SpendPeriod | null>(
      (most, one) => (most === null || one.costMicrocents > most.costMicrocents ? one : most),
      null,
    ),
    unpricedCalls: sum(({ unpricedCalls }) => unpricedCalls),
  };
}
