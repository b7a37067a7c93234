import { binomialCdf, binomialUpperTail } from "./binomial-tail.ts";

/**
 * The ranks (from 1) of the sorted values that hold a percentile between them, for any distribution: each side is
 * missed with at most half of `alpha`. null: there are too few values for that side.
 */
export function percentileRanks(
  n: number,
  p: number,
  alpha = 0.05,
): { lower: number | null; upper: number | null } {
  const side = alpha / 2;
  // Both tails change with the rank in one direction only, so halving finds the last and the first that will do.
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
