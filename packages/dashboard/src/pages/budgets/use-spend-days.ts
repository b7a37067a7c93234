import type { UseQueryResult } from "@tanstack/react-query";
import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfMonth } from "@tollgate/core/time/month";
import { useOperation } from "../../data/use-operation.ts";
import { type BudgetSubject, subjectFields } from "./budget-subject.tsx";
import type { SpendDay } from "./limit-check.ts";

export const PAST_DAYS = 30;
export const PAST_MONTHS = 6;

export interface SpendDays {
  readonly days: readonly SpendDay[] | undefined;
  readonly query: UseQueryResult<unknown>;
}

/** Cost of the calls that a budget counts, by UTC day: the last 30 days, or this month and the five before. */
export function useSpendDays(subject: BudgetSubject, period: "daily" | "monthly", isOn = true): SpendDays {
  const from = startOf(period, Date.now());
  const usage = useOperation(
    "analytics.breakdown",
    { group_by: "model", interval: "day", limit: 1, from, ...subjectFields(subject) },
    { enabled: isOn },
  );
  return {
    days: usage.data?.total.series.map(({ at, cost_microcents, unpriced_calls }) => ({
      date: at.slice(0, 10),
      costMicrocents: cost_microcents,
      // null only where a call is in several groups.
      unpricedCalls: unpriced_calls ?? 0,
    })),
    query: usage,
  };
}

function startOf(period: "daily" | "monthly", nowMs: number): string {
  if (period === "daily") {
    return new Date((Math.floor(nowMs / DAY_MS) - PAST_DAYS + 1) * DAY_MS).toISOString();
  }
  let month = startOfMonth(nowMs);
  for (let before = 1; before < PAST_MONTHS; before++) month = startOfMonth(month - DAY_MS);
  return new Date(month).toISOString();
}
