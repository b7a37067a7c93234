import { divideHalfEven, type Microcents, microcents, RATE_SCALE } from "../money/money.ts";
import { DAY_MS } from "../time/durations.ts";
import type { LeakScan, ScannedAgent } from "./leak-check.ts";

const MONTH_DAYS = 30n;

/**
 * The number of UTC days on which the agent was observed: from its first day within the period to today. Days without a
 * call count, because nothing was wasted on them.
 */
export function observedDays({ from, now }: Pick<LeakScan, "from" | "now">, agent: ScannedAgent): number {
  // Ingested calls may be older than the agent, which was created when they arrived.
  const firstDay = Math.min(agent.firstSeenAt, ...agent.uses.map(use => use.first_day));
  const since = Math.max(from, firstDay);
  return Math.max(1, Math.floor(now / DAY_MS) - Math.floor(since / DAY_MS) + 1);
}

/** Waste (in 10⁻⁹ microcents, unrounded) of the given days, scaled to thirty; rounded once. */
export function monthlyWaste(exactWaste: bigint, days: number): Microcents {
  if (exactWaste <= 0n) return microcents(0);
  const monthly = divideHalfEven(exactWaste * MONTH_DAYS, RATE_SCALE * BigInt(days));
  return microcents(Number(monthly));
}
