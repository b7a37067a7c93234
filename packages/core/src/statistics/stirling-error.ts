const HALF_LOG_TWO_PI = 0.9189385332046727;

/** Above this the five terms of the series are exact to the last bit. */
const SERIES_FROM = 16;

/**
 * The error of Stirling's formula: ln Γ(n+1) − [(n+½) ln n − n + ½ ln 2π], for n > 0. Densities built from it keep all
 * their digits at a million calls, where differences of ln Γ lose half of them.
 */
export function stirlingError(n: number): number {
  if (n >= SERIES_FROM) {
    const square = n * n;
    const tail = 1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360_360 / square) / square) / square;
    return (1 / 12 - (1 / 360 - tail / square) / square) / n;
  }
  // Γ(n+1) = Γ(m+1) / ((n+1)(n+2)…m), with m large enough for the series.
  let m = n;
  let product = 1;
  while (m < SERIES_FROM) {
    m += 1;
    product *= m;
  }
  const logGamma = (m + 0.5) * Math.log(m) - m + HALF_LOG_TWO_PI + stirlingError(m) - Math.log(product);
  return logGamma - ((n + 0.5) * Math.log(n) - n + HALF_LOG_TWO_PI);
}
