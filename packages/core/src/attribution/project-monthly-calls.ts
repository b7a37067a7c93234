import { DAY_MS } from "../time/durations.ts";
import { startOfNextMonth } from "../time/month.ts";

export const PACE_DAYS = 7;

interface CallsSoFar {
  readonly thisMonth: number;
  /** In the last `PACE_DAYS` days. */
  readonly recent: number;
  readonly firstCallAtMs: number | null;
}

/**
 * This month's calls so far, extrapolated at the pace of the last seven days. The pace is measured over at least a day:
 * a few calls in the first minute of a month, or of an organization, must not be extrapolated to a month.
 */
export function projectMonthlyCalls(
  { thisMonth, recent, firstCallAtMs: firstCallAt }: CallsSoFar,
  nowMs: number,
): number {
  if (firstCallAt === null) return thisMonth;
  const paceMs = Math.min(Math.max(nowMs - firstCallAt, DAY_MS), PACE_DAYS * DAY_MS);
  return thisMonth + Math.round((recent * (startOfNextMonth(nowMs) - nowMs)) / paceMs);
}
