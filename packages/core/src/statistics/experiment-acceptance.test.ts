import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { type Sample, welchTest } from "../../../../test/support/statistics/welch-test.ts";
import { binomialCdf } from "./binomial-tail.ts";
import { meanInterval } from "./mean-interval.ts";
import { alwaysValidHalfWidth, logMixtureLikelihoodRatio } from "./mixture-likelihood-ratio.ts";
import { newcombeLowerBound } from "./newcombe-lower-bound.ts";
import { percentileRanks } from "./percentile-ranks.ts";

const A = sampleOf([120, 150, 110, 140, 180, 130, 160, 120, 150, 140]);
const B = sampleOf([90, 95, 100, 85, 110, 92, 97, 88]);
const welch = welchTest(A, B);
const mean = meanInterval(A.mean, Math.sqrt(A.variance / A.n), A.n - 1);
/** Two arms of 500, variances that add up to 2. */
const V = 2 / 500;
const rates = (a: number, b: number, n: number) =>
  newcombeLowerBound({ successes: a, n }, { successes: b, n }) ?? undefined;

/** Each value was computed by two methods that share no code. */
const ACCEPTED: readonly (readonly [string, number | undefined, number])[] = [
  ["mean, low", mean?.low, 124.91895224801196],
  ["mean, high", mean?.high, 155.08104775198802],
  ["Welch's difference", welch?.difference, 45.375],
  ["Welch's t", welch?.t, 6.278635128433073],
  ["Welch's degrees of freedom", welch?.degreesOfFreedom, 11.956847982400369],
  ["Welch's p", welch?.pValue, 4.142323051969932e-5],
  ["Welch, low", welch?.low, 29.622656267787008],
  ["Welch, high", welch?.high, 61.12734373221299],
  ["mSPRT at .15", Math.exp(logMixtureLikelihoodRatio(0.15, V, 0.01)), 3.9850389533211397],
  ["mSPRT at .15, p", Math.exp(-logMixtureLikelihoodRatio(0.15, V, 0.01)), 0.2509385759370302],
  ["mSPRT at .2", Math.exp(logMixtureLikelihoodRatio(0.2, V, 0.01)), 19.011557566042605],
  ["mSPRT at .2, p", Math.exp(-logMixtureLikelihoodRatio(0.2, V, 0.01)), 0.05259958299188199],
  ["mSPRT half-width", alwaysValidHalfWidth(V, 0.01), 0.2014141854174595],
  ["Newcombe 880 against 900 of 1000", rates(880, 900, 1000), -0.04309045237621009],
  ["Newcombe 176 against 180 of 200", rates(176, 180, 200), -0.07223986865481691],
];

describe("statistics of experiments", () => {
  it.each([...ACCEPTED])("agree with the accepted value to nine digits: %s", (_, value, accepted) => {
    expect(Math.abs((value ?? Number.NaN) - accepted)).toBeLessThanOrEqual(1e-9 * Math.abs(accepted));
  });

  it.each([
    [100, 0.5, 40, 61, 0.9647997997822952],
    [100, 0.95, 90, 100, 0.9826070607121813],
    [1000, 0.95, 936, 964, 0.9580952682226541],
    [6, 0.5, 1, 6, 0.96875],
    [72, 0.95, 64, 72, 0.9654900479083738],
    [368, 0.99, 360, 368, 0.9624158204108587],
    [5, 0.5, null, null, null],
    [71, 0.95, 63, null, null],
    [367, 0.99, 359, null, null],
    [0, 0.5, null, null, null],
  ])("of %p values the percentile %p is between ranks %p and %p", (n, p, lower, upper, coverage) => {
    const ranks = percentileRanks(n, p);
    expect(ranks).toEqual({ lower, upper });
    if (ranks.lower !== null && ranks.upper !== null && coverage !== null) {
      const held = binomialCdf(ranks.upper - 1, n, p) - binomialCdf(ranks.lower - 1, n, p);
      expect(Math.abs(held - coverage)).toBeLessThanOrEqual(1e-9);
    }
  });

  it("the test and its interval agree: the ratio reaches 1/α where the interval excludes zero", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.double({ min: 0.001, max: 0.5, noNaN: true }),
        (variance, ratio, alpha) => {
          const tauSquared = variance * ratio;
          const half = alwaysValidHalfWidth(variance, tauSquared, alpha);
          const reached = Math.exp(logMixtureLikelihoodRatio(half, variance, tauSquared));
          expect(Math.abs(reached * alpha - 1)).toBeLessThan(1e-9);
        },
      ),
    );
  });

  it("return null if nothing is known", () => {
    expect(welchTest(A, sampleOf([1]))).toBeNull();
    expect(welchTest(sampleOf([1, 1]), sampleOf([2, 2]))).toBeNull();
    expect(meanInterval(1, 0, 0)).toBeNull();
    expect(meanInterval(1, 0, 5)).toEqual({ low: 1, high: 1 });
    expect(logMixtureLikelihoodRatio(1, 0, 1)).toBe(0);
    expect(alwaysValidHalfWidth(0, 1)).toBe(Infinity);
    expect(newcombeLowerBound({ successes: 0, n: 0 }, { successes: 1, n: 2 })).toBeNull();
  });
});

function sampleOf(values: readonly number[]): Sample {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  return { n, mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1) };
}
