import { tQuantile, tUpperTail } from "@tollgate/core/statistics/t-distribution";

export interface Sample {
  readonly n: number;
  readonly mean: number;
  /** The sample variance (n − 1). */
  readonly variance: number;
}

interface WelchTest {
  readonly difference: number;
  readonly t: number;
  readonly degreesOfFreedom: number;
  readonly pValue: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Compares two means of complete samples: evaluated repeatedly, it finds differences that do not exist. null: fewer
 * than two values on a side, or no spread at all.
 */
export function welchTest(a: Sample, b: Sample): WelchTest | null {
  if (a.n < 2 || b.n < 2) return null;
  const ofA = a.variance / a.n;
  const ofB = b.variance / b.n;
  const error = Math.sqrt(ofA + ofB);
  if (!(error > 0)) return null;
  const difference = a.mean - b.mean;
  const t = difference / error;
  const degreesOfFreedom = (ofA + ofB) ** 2 / (ofA ** 2 / (a.n - 1) + ofB ** 2 / (b.n - 1));
  const half = tQuantile(0.975, degreesOfFreedom) * error;
  return {
    difference,
    t,
    degreesOfFreedom,
    pValue: 2 * tUpperTail(Math.abs(t), degreesOfFreedom),
    low: difference - half,
    high: difference + half,
  };
}
