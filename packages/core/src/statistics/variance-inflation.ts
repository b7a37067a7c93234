/**
 * By how much autocorrelation increases the variance of a trend statistic over `n` values: 1 + 2 Σ (1 − k/n) rₖ (Bayley
 * and Hammersley), with the autocorrelations rₖ of `residuals`, which are keyed by time and may have gaps. The sum ends
 * at the first rₖ that is not positive, because later ones are noise. At least 1.
 */
export function varianceInflation(residuals: ReadonlyMap<number, number>, n: number): number {
  const count = residuals.size;
  const square = [...residuals.values()].reduce((sum, value) => sum + value * value, 0) / count;
  if (!(square > 0)) return 1;
  let sum = 0;
  for (let lag = 1; lag < n; lag++) {
    const correlation = correlationAt(residuals, lag, square);
    if (correlation === null || correlation <= 0) break;
    sum += (1 - lag / n) * correlation;
  }
  return 1 + 2 * sum;
}

/** null: no two values have this lag. */
function correlationAt(residuals: ReadonlyMap<number, number>, lag: number, square: number): number | null {
  let products = 0;
  let pairs = 0;
  for (const [place, value] of residuals) {
    const later = residuals.get(place + lag);
    if (later === undefined) continue;
    products += value * later;
    pairs++;
  }
  if (pairs === 0) return null;
  const raw = products / pairs / square;
  // Subtracting a mean or line biases the autocorrelation downward, by (1 + 3r)/n.
  return Math.min(1, raw + (1 + 3 * Math.max(0, raw)) / residuals.size);
}
