/** Calls that were switched, and what the verdict behind the switch says of one. */
export interface BackedCalls {
  readonly calls: number;
  /** Of the verdict's pairs, with its 95 % interval; null: too few pairs for one. */
  readonly perCall: { readonly value: number; readonly low: number | null; readonly high: number | null };
}

interface VerifiedSavings {
  readonly microcents: number;
  /** null: a verdict has no interval. */
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/**
 * One element a verdict. Verdicts rest on pairs of their own, so their errors are independent and add up by squares; calls
 * of one verdict share its error, so they add up plainly.
 */
export function verifiedSavings(backed: readonly BackedCalls[]): VerifiedSavings {
  let microcents = 0;
  let squares = 0;
  let hasInterval = true;
  for (const { calls, perCall } of backed) {
    microcents += calls * perCall.value;
    if (perCall.low === null || perCall.high === null) hasInterval = false;
    else squares += (calls * Math.max(perCall.value - perCall.low, perCall.high - perCall.value)) ** 2;
  }
  const half = Math.sqrt(squares);
  return {
    microcents,
    interval: hasInterval && backed.length > 0 ? { low: microcents - half, high: microcents + half } : null,
  };
}
