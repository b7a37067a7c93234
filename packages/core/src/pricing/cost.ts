/**
 * A cost is Σ count × rate in integers, rounded once, half to even. Rounding each kind, or each part of a call, would
 * let cents drift into or out of a bill of millions of small calls.
 */
import { type Microcents, RATE_SCALE, roundToMicrocents } from "../money/money.ts";
import type { Usage, UsageKind } from "../money/usage.ts";
import type { RateCard } from "./rates.ts";

export interface PricedUsage {
  readonly usage: Usage;
  readonly card: RateCard;
}

/** null: unknown. A cost above $900 million is not real, and a number cannot represent it exactly. */
export function costOf(usage: Usage, card: RateCard): Microcents | null {
  return bookable(exactCost(usage, card));
}

/** The cost of an event with usage of several models, each at its own rate card. null as above. */
export function costOfParts(parts: readonly PricedUsage[]): Microcents | null {
  return bookable(parts.reduce((sum, { usage, card }) => sum + exactCost(usage, card), 0n));
}

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER) * RATE_SCALE;

function bookable(exact: bigint): Microcents | null {
  return exact > LARGEST ? null : roundToMicrocents(exact);
}

/** Unrounded, in 10⁻⁹ microcents. */
export function exactCost(usage: Usage, card: RateCard): bigint {
  let sum = 0n;
  // Usage contains only the kinds that occurred: two or three of all.
  for (const kind in usage) {
    const known = kind as UsageKind;
    sum += BigInt(usage[known] ?? 0) * card.rates[known];
  }
  return sum;
}
