import { divideHalfEven, type Microcents, RATE_SCALE, saturated, ZERO_MICROCENTS } from "../money/money.ts";
import { MONTH_DAYS, observedDays } from "../time/observed-days.ts";
import type { LeakScan, ScannedAgent } from "./leak-check.ts";

export function agentDays(scan: Pick<LeakScan, "from" | "now">, agent: ScannedAgent): number {
  // Ingested calls may be older than the agent, which was created when they arrived.
  return observedDays(scan, Math.min(agent.firstSeenAt, ...agent.uses.map(use => use.first_day)));
}

/** Waste (in 10⁻⁹ microcents, unrounded) of the given days, scaled to thirty; rounded once. */
export function monthlyWaste(exactWaste: bigint, days: number): Microcents {
  if (exactWaste <= 0n) return ZERO_MICROCENTS;
  const monthly = divideHalfEven(exactWaste * BigInt(MONTH_DAYS), RATE_SCALE * BigInt(days));
  return saturated(Number(monthly));
}
