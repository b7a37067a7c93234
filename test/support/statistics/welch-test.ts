import { tQuantile, tUpperTail } from "@tollgate/core/statistics/t-distribution";

export interface Sample {
  readonly n: number;
  readonly mean: number;
  /** With n − 1 below. */
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
 * Two means of samples that were taken once, to the end: looked at again and again it finds differences that are not
 * there. Fewer than two values on a side, or no spread at all: null.
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
