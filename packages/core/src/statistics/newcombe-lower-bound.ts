import { wilsonInterval } from "./wilson-interval.ts";

const Z_95 = 1.6448536269514722;

/** Newcombe's one-sided 95 % lower bound of a difference of two rates, a − b. null: one side has no observations. */
export function newcombeLowerBound(
  a: { readonly successes: number; readonly n: number },
  b: { readonly successes: number; readonly n: number },
): number | null {
  const ofA = wilsonInterval(a.successes, a.n, Z_95);
  const ofB = wilsonInterval(b.successes, b.n, Z_95);
  if (ofA === null || ofB === null) return null;
  const rateA = a.successes / a.n;
  const rateB = b.successes / b.n;
  return rateA - rateB - Math.hypot(rateA - ofA.low, ofB.high - rateB);
}
