import { DAY_MS } from "../time/durations.ts";
import { monthOf, startOfMonth, startOfNextMonth } from "../time/month.ts";
import { startOfDay } from "../time/start-of-day.ts";

export const budgetPeriods = ["daily", "monthly"] as const;

export type BudgetPeriod = (typeof budgetPeriods)[number];

/** A period in UTC, computed from the time: no job has to run to reset a budget. */
export interface PeriodSpan {
  /** "2026-11-15" or "2026-11". */
  readonly id: string;
  readonly startsAtMs: number;
  /** Exclusive: the start of the next one. */
  readonly endsAtMs: number;
}

/** Cached, because it is needed for every budget of every call and hardly ever changes. */
const last: { [period in BudgetPeriod | "lifetime"]: PeriodSpan } = {
  lifetime: { id: "lifetime", startsAtMs: 0, endsAtMs: Number.MAX_SAFE_INTEGER },
  daily: { id: "", startsAtMs: 0, endsAtMs: 0 },
  monthly: { id: "", startsAtMs: 0, endsAtMs: 0 },
};

export function periodSpan(period: BudgetPeriod | "lifetime", atMs: number): PeriodSpan {
  const known = last[period];
  if (atMs >= known.startsAtMs && atMs < known.endsAtMs) return known;
  const span = spanOf(period, atMs);
  last[period] = span;
  return span;
}

function spanOf(period: BudgetPeriod | "lifetime", atMs: number): PeriodSpan {
  switch (period) {
    case "lifetime":
      return last.lifetime;
    case "daily": {
      const startsAtMs = startOfDay(atMs);
      return {
        id: new Date(startsAtMs).toISOString().slice(0, 10),
        startsAtMs,
        endsAtMs: startsAtMs + DAY_MS,
      };
    }
    case "monthly":
      return { id: monthOf(atMs), startsAtMs: startOfMonth(atMs), endsAtMs: startOfNextMonth(atMs) };
  }
}
