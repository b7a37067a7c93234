const LOG_SQRT_TWO_PI = 0.9189385332046727;

/** From here on the continued fraction of the tail is more accurate than the series. */
const TAIL_FROM = 3;

/** Φ(x): the probability that a standard normal value is at most x. */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) {
    return Number.NaN;
  }
  if (Math.abs(x) < TAIL_FROM) {
    return 0.5 + Math.exp(-0.5 * x * x - LOG_SQRT_TWO_PI) * oddSeries(x);
  }
  const tail = Math.exp(logTail(Math.abs(x)));
  return x < 0 ? tail : 1 - tail;
}

/** Φ⁻¹(p). 0 and 1 give the infinities; NaN outside [0, 1]. */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) {
    return Number.NaN;
  }
  if (p === 0 || p === 1) {
    return p === 0 ? -Infinity : Infinity;
  }
  if (p === 0.5) {
    return 0;
  }
  return p < 0.5 ? lowerQuantile(p) : -lowerQuantile(1 - p);
}

/**
 * Newton's method on ln Φ, which is concave: from a start below the root it climbs to it without overshooting.
 * e^(−x²/2) = p gives such a start, because Φ(−x) < e^(−x²/2).
 */
function lowerQuantile(p: number): number {
  const target = Math.log(p);
  let x = -Math.sqrt(-2 * target);
  for (let step = 0; step < 60; step += 1) {
    const log = x > -TAIL_FROM ? Math.log(normalCdf(x)) : logTail(-x);
    const slope = Math.exp(-0.5 * x * x - LOG_SQRT_TWO_PI - log);
    const next = x - (log - target) / slope;
    if (Math.abs(next - x) <= 1e-15 * Math.abs(x)) {
      return next;
    }
    x = next;
  }
  return x;
}

/** x + x³/3 + x⁵/(3·5) + …: (Φ(x) − ½) / φ(x). */
function oddSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let k = 3; k < 200; k += 2) {
    term *= (x * x) / k;
    const next = sum + term;
    if (next === sum) {
      break;
    }
    sum = next;
  }
  return sum;
}

/** ln(1 − Φ(x)) for x ≥ 3: φ(x) / (x + 1/(x + 2/(x + 3/…))), from the far end inwards. */
function logTail(x: number): number {
  let fraction = x;
  for (let k = 100; k >= 1; k -= 1) {
    fraction = x + k / fraction;
  }
  return -0.5 * x * x - LOG_SQRT_TWO_PI - Math.log(fraction);
}
