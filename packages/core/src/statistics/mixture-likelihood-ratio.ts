/**
 * The mixture sequential probability ratio test (mSPRT) of "there is no difference", for a nearly normal difference
 * with this variance: without a difference, the probability that the ratio ever reaches 1/α is at most α, however often
 * it is evaluated. `tauSquared` is the variance of the differences of interest, fixed before the data.
 */
export function logMixtureLikelihoodRatio(difference: number, variance: number, tauSquared: number): number {
  if (!(variance > 0)) return 0;
  const total = variance + tauSquared;
  return 0.5 * Math.log(variance / total) + (tauSquared * difference ** 2) / (2 * variance * total);
}

/** Half the width of the interval that always contains the true difference, with probability 1 − α. */
export function alwaysValidHalfWidth(variance: number, tauSquared: number, alpha = 0.05): number {
  if (!(variance > 0)) return Infinity;
  const total = variance + tauSquared;
  return Math.sqrt(
    ((variance * total) / tauSquared) * (2 * Math.log(1 / alpha) + Math.log(total / variance)),
  );
}
