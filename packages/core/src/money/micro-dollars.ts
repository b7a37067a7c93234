import { divideHalfEven } from "./money.ts";

const MICROCENTS_PER_MICRO_DOLLAR = 10;

/** Whole micro-dollars of a whole sum of microcents; rounded once, half to even. */
export function microDollars(amountMicrocents: number): number {
  return Number(divideHalfEven(BigInt(amountMicrocents), BigInt(MICROCENTS_PER_MICRO_DOLLAR)));
}

/** The same of an estimate and its interval, which stays around it. */
export function estimatedMicroDollars(
  valueMicrocents: number,
  interval: { readonly low: number; readonly high: number } | null,
): { readonly value: number; readonly interval: { readonly low: number; readonly high: number } | null } {
  return {
    value: Math.round(valueMicrocents / MICROCENTS_PER_MICRO_DOLLAR),
    interval: interval && {
      low: Math.floor(interval.low / MICROCENTS_PER_MICRO_DOLLAR),
      high: Math.ceil(interval.high / MICROCENTS_PER_MICRO_DOLLAR),
    },
  };
}
