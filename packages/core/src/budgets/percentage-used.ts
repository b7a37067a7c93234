import { divideHalfEven } from "../money/money.ts";
import { DAY_MS } from "../time/durations.ts";

/** The used share of a budget, in integers: near the limit, a rounded fraction could be on its wrong side. */

/** Two decimals: 12.35 is 12.35 % of the limit. */
export function percentageUsed(spentMicrocents: number, limitMicrocents: number): number {
  return Number(divideHalfEven(BigInt(spentMicrocents) * 10_000n, BigInt(limitMicrocents))) / 100;
}

/** A warning threshold of 0 % is crossed by the first cost, not by zero. */
export function isOverWarning(spentMicrocents: number, limitMicrocents: number, warningPct: number): boolean {
  return (
    spentMicrocents > 0 && BigInt(spentMicrocents) * 100n >= BigInt(limitMicrocents) * BigInt(warningPct)
  );
}

export function isOverLimit(spentMicrocents: number, limitMicrocents: number): boolean {
  return spentMicrocents >= limitMicrocents;
}

/** Rounded up: on the last day, one remains. */
export function daysRemaining(resetsAtMs: number, nowMs: number): number {
  return Math.ceil((resetsAtMs - nowMs) / DAY_MS);
}
