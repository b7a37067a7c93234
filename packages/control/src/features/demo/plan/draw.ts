import { seededRandom } from "@tollgate/core/statistics/seeded-random";

/** The draws that a plan is made of. The same seed gives the same plan. */
export interface Draw {
  /** From 0 to 1, exclusive. */
  next(): number;
  isTrue(chance: number): boolean;
  /** Whole numbers, both ends included. */
  between(least: number, most: number): number;
  /** A whole number of at least 1; `spread` is the standard deviation of the logarithm. */
  logNormal(median: number, spread: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** The index of one of these weights; at least one is above 0. */
  weighted(weights: readonly number[]): number;
}

export function drawFrom(seed: number): Draw {
  const next = seededRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    isTrue: chance => next() < chance,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    logNormal: (median, spread) => Math.max(1, Math.round(median * Math.exp(spread * normal()))),
    pick: from => from[Math.floor(next() * from.length)] ?? from[0],
    weighted(weights) {
      let left = next() * weights.reduce((sum, weight) => sum + weight, 0);
      const found = weights.findIndex(weight => {
        left -= weight;
        return left < 0;
      });
      // Rounding may leave a remainder after the last one.
      return found === -1 ? weights.length - 1 : found;
    },
  };
}
