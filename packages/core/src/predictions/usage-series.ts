import { DAY_MS } from "../time/durations.ts";
import { startOfDay } from "../time/start-of-day.ts";

/** One hour or UTC day. Hours and days without a call have no bucket. */
export interface UsageBucket {
  /** Its first millisecond. */
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
  readonly latency_sum_ms: number;
  readonly cost_microcents: number;
  /** Calls of unknown cost, which the cost leaves out. */
  readonly unpriced_calls: number;
}

/** For one agent or the whole organization, oldest first. The newest bucket may be incomplete. */
export interface UsageSeries {
  /** null: the organization. */
  readonly agentId: string | null;
  readonly hours: readonly UsageBucket[];
  readonly days: readonly UsageBucket[];
  /** Hourly 99th percentiles of latency, if a rule needs them. */
  readonly slowest?: readonly { readonly at: number; readonly calls: number; readonly p99_ms: number }[];
}

export interface CostBucket {
  /** Its first millisecond. */
  readonly at: number;
  readonly cost_microcents: number;
}

/** The costs that count toward a budget, by hour and by day. */
export interface CostSeries {
  readonly hours: readonly CostBucket[];
  readonly days: readonly CostBucket[];
}

/**
 * One value per whole day in the last `most` days before today, from the first day with a call on: a day without calls
 * is 0, not a gap.
 */
export function wholeDays(
  days: readonly UsageBucket[],
  nowMs: number,
  most: number,
  amountOf: (day: UsageBucket) => number,
): { readonly at: number; readonly value: number }[] {
  const today = startOfDay(nowMs);
  const known = new Map(days.map(day => [day.at, day]));
  const first = days[0]?.at ?? today;
  const values: { at: number; value: number }[] = [];
  for (let at = Math.max(first, today - most * DAY_MS); at < today; at += DAY_MS) {
    const day = known.get(at);
    values.push({ at, value: day === undefined ? 0 : amountOf(day) });
  }
  return values;
}
