import { incompleteBeta } from "./incomplete-beta.ts";

/** P(X ≤ k) for X ~ Bin(n, p). */
export function binomialCdf(k: number, n: number, p: number, q: number = 1 - p): number {
  const whole = Math.floor(k);
  if (whole < 0) {
    return 0;
  }
  return whole >= n ? 1 : incompleteBeta(q, n - whole, whole + 1, p);
}

/** P(X ≥ k) for X ~ Bin(n, p). Computed directly, because 1 − P(X ≤ k−1) has no digits left far in the tail. */
export function binomialUpperTail(k: number, n: number, p: number, q: number = 1 - p): number {
  const whole = Math.ceil(k);
  if (whole <= 0) {
    return 1;
  }
  return whole > n ? 0 : incompleteBeta(p, whole, n - whole + 1, q);
}
