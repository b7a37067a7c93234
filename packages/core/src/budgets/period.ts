import { monthOf, startOfMonth, startOfNextMonth } from "../time/month.ts";

export const budgetPeriods = ["daily", "monthly"] as const;

export type BudgetPeriod = (typeof budgetPeriods)[number];

/** A period in UTC, computed from the time: nothing has to run for a budget to reset. */
export interface PeriodSpan {
  /** "2026-11-15" or "2026-11". */
  readonly id: string;
  readonly startsAt: number;
  /** Excluded: the start of the next one. */
  readonly endsAt: number;
}

const DAY_MS = 86_400_000;

/** Asked for every budget of every call: nearly always it is still the period that it was the last time. */
const last: { [period in BudgetPeriod | "lifetime"]: PeriodSpan } = {
  lifetime: { id: "lifetime", startsAt: 0, endsAt: Number.MAX_SAFE_INTEGER },
  daily: { id: "", startsAt: 0, endsAt: 0 },
  monthly: { id: "", startsAt: 0, endsAt: 0 },
};

export function periodSpan(period: BudgetPeriod | "lifetime", atMs: number): PeriodSpan {
  const known = last[period];
  if (atMs >= known.startsAt && atMs < known.endsAt) return known;
  const span = spanOf(period, atMs);
  last[period] = span;
  return span;
}

function spanOf(period: BudgetPeriod | "lifetime", atMs: number): PeriodSpan {
  switch (period) {
    case "lifetime":
      return last.lifetime;
    case "daily": {
      const startsAt = Math.floor(atMs / DAY_MS) * DAY_MS;
      return {
        id: new Date(startsAt).toISOString().slice(0, 10),
        startsAt,
        endsAt: startsAt + DAY_MS,
      };
    }
    case "monthly":
      return { id: monthOf(atMs), startsAt: startOfMonth(atMs), endsAt: startOfNextMonth(atMs) };
  }
}
