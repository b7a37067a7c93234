/**
 * A cost is Σ count × rate in whole numbers, rounded once, half to even. Rounding each kind, or each part of a
 * call, would let cents drift into or out of a bill of millions of small calls.
 */
import { type Microcents, RATE_SCALE, roundToMicrocents } from "../money.ts";
import { type Usage, type UsageKind, usageKinds } from "../usage.ts";
import type { RateCard } from "./rates.ts";

export interface PricedUsage {
  readonly usage: Usage;
  readonly card: RateCard;
}

export function costOf(usage: Usage, card: RateCard): Microcents {
  return roundToMicrocents(exactCost(usage, card));
}

/** One event that several models worked for, each at its own card. */
export function costOfParts(parts: readonly PricedUsage[]): Microcents {
  return roundToMicrocents(parts.reduce((sum, { usage, card }) => sum + exactCost(usage, card), 0n));
}

/** Unrounded, in 10⁻⁹ microcents. */
export function exactCost(usage: Usage, card: RateCard): bigint {
  let sum = 0n;
  // Usage holds only the kinds that occurred: two or three of fourteen.
  for (const kind in usage) {
    const known = kind as UsageKind;
    sum += BigInt(usage[known] ?? 0) * card.rates[known];
  }
  return sum;
}

export interface CostLine {
  readonly kind: UsageKind;
  readonly count: number;
  readonly microcentsPerUnit: string;
  readonly microcents: string;
}

export interface CostExplanation {
  readonly lines: readonly CostLine[];
  /** The exact sum of the lines, before its one rounding. */
  readonly exactMicrocents: string;
  readonly costMicrocents: Microcents;
}

export function explainCost(usage: Usage, card: RateCard): CostExplanation {
  const lines = usageKinds.flatMap((kind): CostLine[] => {
    const count = usage[kind];
    if (!count) return [];
    const rate = card.rates[kind];
    return [{ kind, count, microcentsPerUnit: toDecimal(rate), microcents: toDecimal(BigInt(count) * rate) }];
  });
  const exact = exactCost(usage, card);
  return { lines, exactMicrocents: toDecimal(exact), costMicrocents: roundToMicrocents(exact) };
}

function toDecimal(scaled: bigint): string {
  const digits = String(RATE_SCALE).length - 1;
  const fraction = String(scaled % RATE_SCALE)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  return fraction === "" ? String(scaled / RATE_SCALE) : `${scaled / RATE_SCALE}.${fraction}`;
}
