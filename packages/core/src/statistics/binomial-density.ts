import { stirlingError } from "./stirling-error.ts";

/**
 * Γ(n+1) / (Γ(k+1) Γ(n−k+1)) · p^k · q^(n−k) with q = 1 − p: the probability of k successes in n trials. In Loader's
 * saddle-point form, which stays accurate for large n; k and n need not be integers (the incomplete beta function
 * relies on that). `q` is a separate argument because 1 − p loses the digits of a tiny q.
 */
export function binomialDensity(k: number, n: number, p: number, q: number = 1 - p): number {
  const misses = n - k;
  if (k < 0 || misses < 0) {
    return 0;
  }
  if (p <= 0 || q <= 0) {
    return (p <= 0 ? k : misses) === 0 ? 1 : 0;
  }
  if (k === 0) {
    return Math.exp(n * (p < 0.5 ? Math.log1p(-p) : Math.log(q)));
  }
  if (misses === 0) {
    return Math.exp(n * (q < 0.5 ? Math.log1p(-q) : Math.log(p)));
  }
  const exponent =
    stirlingError(n) -
    stirlingError(k) -
    stirlingError(misses) -
    deviance(k, n * p) -
    deviance(misses, n * q);
  return Math.sqrt(n / (2 * Math.PI * k * misses)) * Math.exp(exponent);
}

/** x ln(x/m) + m − x, without cancellation near x = m. */
function deviance(x: number, m: number): number {
  const difference = x - m;
  if (Math.abs(difference) >= 0.1 * (x + m)) {
    return x * Math.log(x / m) - difference;
  }
  // ln((1+v)/(1−v)) = 2 (v + v³/3 + v⁵/5 + …) with v = (x−m)/(x+m).
  const v = difference / (x + m);
  let sum = difference * v;
  let term = 2 * x * v;
  for (let j = 3; j < 100; j += 2) {
    term *= v * v;
    const next = sum + term / j;
    if (next === sum) {
      break;
    }
    sum = next;
  }
  return sum;
}
