import { fisherExact } from "../statistics/fisher-exact.ts";

/**
 * Are the recent values higher than the earlier ones? Of all values together, the k highest are marked (k: how many
 * are recent); Fisher's exact test says how surprising it is that so many of the marked ones are recent. Which
 * values are marked does not depend on which are recent, so the p value is exact, whatever their distribution.
 */
export function topsPValue(recent: readonly number[], earlier: readonly number[]): number {
  const sorted = [...recent, ...earlier].sort((a, b) => b - a);
  // With ties at the edge fewer than k are marked; an edge inside of a tie would mark them at random.
  const edge = sorted[recent.length] ?? Number.POSITIVE_INFINITY;
  const marked = (values: readonly number[]) => values.filter(value => value > edge).length;
  return fisherExact(marked(recent), recent.length, marked(earlier), earlier.length) ?? 1;
}
