import { fisherExact } from "../statistics/fisher-exact.ts";

/**
 * Are the recent values higher than the earlier ones? The k highest of all values are marked (k: the number of recent
 * ones); Fisher's exact test gives the probability that this many marked values are recent. The marking does not depend
 * on which values are recent, so the p value is exact for any distribution.
 */
export function recentHigherPValue(recent: readonly number[], earlier: readonly number[]): number {
  const sorted = [...recent, ...earlier].sort((a, b) => b - a);
  // With ties at the edge fewer than k are marked; splitting a tie would mark values at random.
  const edge = sorted[recent.length] ?? Number.POSITIVE_INFINITY;
  const marked = (values: readonly number[]) => values.filter(value => value > edge).length;
  return fisherExact(marked(recent), recent.length, marked(earlier), earlier.length) ?? 1;
}
