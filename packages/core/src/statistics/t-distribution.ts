import { incompleteBeta } from "./incomplete-beta.ts";
import { normalQuantile } from "./normal-distribution.ts";

/** From here on the first terms of the expansion around the normal quantile are exact, unlike the beta function. */
const NEARLY_NORMAL_FROM = 1e6;

/** The p-quantile of Student's t with `df` degrees of freedom. df ≤ 0: undefined. */
export function tQuantile(p: number, df: number): number {
  if (!(p >= 0 && p <= 1) || !(df > 0)) {
    return Number.NaN;
  }
  if (p === 0 || p === 1) {
    return p === 0 ? -Infinity : Infinity;
  }
  if (p === 0.5) {
    return 0;
  }
  return p < 0.5 ? -upperQuantile(p, df) : upperQuantile(1 - p, df);
}

/** P(T > t) for Student's t with `df` degrees of freedom. */
export function tUpperTail(t: number, df: number): number {
  return t < 0 ? 1 - upperTail(-t, df) : upperTail(t, df);
}

/** For t ≥ 0. */
function upperTail(t: number, df: number): number {
  const square = t * t;
  return 0.5 * incompleteBeta(df / (df + square), df / 2, 0.5, square / (df + square));
}

/** Bisects ln t around the root: the tail decreases with t, and ln t covers the heavy tails too. */
function upperQuantile(tail: number, df: number): number {
  if (df >= NEARLY_NORMAL_FROM) {
    const z = -normalQuantile(tail);
    return z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df * df);
  }
  // The normal quantile is a lower bound for every df: t has the heavier tail.
  let low = Math.log(-normalQuantile(tail)) - 1e-6;
  let high = low + 1;
  while (upperTail(Math.exp(high), df) > tail && high < 700) {
    high += 2;
  }
  for (let step = 0; step < 80 && high - low > 1e-16; step += 1) {
    const middle = (low + high) / 2;
    if (upperTail(Math.exp(middle), df) > tail) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return Math.exp((low + high) / 2);
}
