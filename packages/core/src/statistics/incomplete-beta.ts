import { binomialDensity } from "./binomial-density.ts";

const SMALLEST = 1e-300;
const MAX_STEPS = 100_000;

/**
 * The regularized incomplete beta function I_x(a, b), for a, b > 0 and 0 ≤ x ≤ 1. `y` is 1 − x, for callers that know
 * it with more digits than the subtraction gives.
 */
export function incompleteBeta(x: number, a: number, b: number, y: number = 1 - x): number {
  if (x <= 0) {
    return 0;
  }
  if (y <= 0) {
    return 1;
  }
  // The fraction converges fast only on its own side of the mean; the other side is its mirror image.
  const value = x <= (a + 1) / (a + b + 2) ? lowerPart(x, y, a, b) : 1 - lowerPart(y, x, b, a);
  return Math.min(1, Math.max(0, value));
}

/** x^a y^b / (a B(a,b)) times the continued fraction of I_x(a, b), evaluated by Lentz's method. */
function lowerPart(x: number, y: number, a: number, b: number): number {
  // Γ(a+b)/(Γ(a)Γ(b)) x^a y^b is the binomial density of a in a+b, times ab/(a+b); one a cancels.
  const front = (binomialDensity(a, a + b, x, y) * b) / (a + b);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= MAX_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    const step = c * d;
    fraction *= step;
    if (Math.abs(step - 1) <= 2.3e-16) {
      break;
    }
  }
  return front * fraction;
}

function away(value: number): number {
  return Math.abs(value) < SMALLEST ? SMALLEST : value;
}
