/** Calls that were switched because of one verdict, and what it says of each of them. */
export interface BackedSwitch {
  /** Of the verdict's pairs, with its 95 % interval; null: too few pairs for one. */
  readonly perCall: { readonly value: number; readonly low: number | null; readonly high: number | null };
  /** The calls by optimization and requested model, with what they were measured to save. */
  readonly effects: readonly { readonly calls: number; readonly savedMicrocents: number }[];
}

interface VerifiedSavings {
  readonly microcents: number;
  /** null: a verdict has no interval. */
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/**
 * Verified savings are a part of the attributed ones, so no effect verifies more than it was measured to save. Verdicts
 * rest on pairs of their own, so their errors are independent and add up by squares; calls of one verdict share its
 * error, so they add up plainly.
 */
export function verifiedSavings(backed: readonly BackedSwitch[]): VerifiedSavings {
  let microcents = 0;
  let squaresBelow = 0;
  let squaresAbove = 0;
  let hasInterval = backed.length > 0;
  for (const { perCall, effects } of backed) {
    const savedAt = (each: number) =>
      effects.reduce((sum, { calls, savedMicrocents }) => sum + Math.min(calls * each, savedMicrocents), 0);
    const saved = savedAt(perCall.value);
    microcents += saved;
    if (perCall.low === null || perCall.high === null) hasInterval = false;
    else {
      squaresBelow += (saved - savedAt(perCall.low)) ** 2;
      squaresAbove += (savedAt(perCall.high) - saved) ** 2;
    }
  }
  return {
    microcents,
    interval: hasInterval
      ? { low: microcents - Math.sqrt(squaresBelow), high: microcents + Math.sqrt(squaresAbove) }
      : null,
  };
}
