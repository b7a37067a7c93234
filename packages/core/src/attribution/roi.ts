import { MICROCENTS_PER_CENT } from "../money/money.ts";

/** Value ÷ cost with two decimals; null if nothing was spent. */
export function roiMultiplier(valueCents: number, costMicrocents: number): number | null {
  if (costMicrocents <= 0) return null;
  return Math.round((valueCents * MICROCENTS_PER_CENT * 100) / costMicrocents) / 100;
}

/** Cents, for display. */
export function netValueCents(valueCents: number, costMicrocents: number): number {
  return (valueCents * MICROCENTS_PER_CENT - costMicrocents) / MICROCENTS_PER_CENT;
}
