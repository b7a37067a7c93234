import { percentile } from "../kit/percentile.ts";

/** The spread of a set of ratios; 1 is exact. */
export interface Spread {
  readonly mean: number;
  readonly median: number;
  readonly p5: number;
  readonly p95: number;
}

/** null for an empty set. */
export function spreadOf(ratios: readonly number[]): Spread | null {
  if (ratios.length === 0) return null;
  const ascending = ratios.toSorted((a, b) => a - b);
  const at = (fraction: number) => percentile(ascending, fraction) ?? Number.NaN;
  return {
    mean: ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length,
    median: at(0.5),
    p5: at(0.05),
    p95: at(0.95),
  };
}
