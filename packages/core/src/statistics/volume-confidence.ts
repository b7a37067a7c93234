/** Confidence is one half at this many calls. */
const HALF_AFTER_CALLS = 50;

/** How sure one can be by volume alone: grows with the calls towards `most`, and never reaches it. Two decimals. */
export function volumeConfidence(calls: number, most: number): number {
  return Math.round(most * (calls / (calls + HALF_AFTER_CALLS)) * 100) / 100;
}
