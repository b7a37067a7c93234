import { binomialCdf, binomialUpperTail } from "./binomial-tail.ts";

/**
 * The ranks (from 1) of the sorted values that enclose a percentile, for any distribution: each side misses with
 * probability of at most half of `alpha`. null: too few values for that side.
 */
export function percentileRanks(
  n: number,
  p: number,
  alpha = 0.05,
): { lower: number | null; upper: number | null } {
  const side = alpha / 2;
  // Both tails are monotonic in the rank, so a binary search finds the last and the first suitable one.
  let lower = 0;
  for (let step = highestPower(n); step >= 1; step /= 2) {
    if (lower + step <= n && binomialCdf(lower + step - 1, n, p) <= side) lower += step;
  }
  let below = 0;
  for (let step = highestPower(n); step >= 1; step /= 2) {
    if (below + step <= n && binomialUpperTail(below + step, n, p) > side) below += step;
  }
  return { lower: lower === 0 ? null : lower, upper: below >= n ? null : below + 1 };
}

function highestPower(n: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(1, n)));
}
