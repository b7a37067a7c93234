/** The number of calls at which confidence is one half. */
const HALF_AFTER_CALLS = 50;

/** Confidence by volume alone: increases with the number of calls toward `most`, without reaching it. Two decimals. */
export function volumeConfidence(calls: number, most: number): number {
  return Math.round(most * (calls / (calls + HALF_AFTER_CALLS)) * 100) / 100;
}
