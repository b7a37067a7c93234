import { divideHalfEven, type Microcents, microcents, RATE_SCALE } from "../money/money.ts";
import type { LeakScan, ScannedAgent } from "./leak-check.ts";

const DAY_MS = 86_400_000;
const MONTH_DAYS = 30n;

/**
 * The UTC days on which the agent was looked at: from the first that it was there, within the period, to today. Days
 * without a call count, for on those it wasted nothing.
 */
export function observedDays({ from, now }: Pick<LeakScan, "from" | "now">, agent: ScannedAgent): number {
  // Ingested calls may be older than the agent, which came into being when they arrived.
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
