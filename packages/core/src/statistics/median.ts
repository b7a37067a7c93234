/** The middle value, or the mean of the two middle ones. An empty sample has none. */
export function median(sample: readonly number[]): number | null {
  const sorted = [...sample].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) {
    return null;
  }
  return upper === lower ? upper : lower + (upper - lower) / 2;
}
