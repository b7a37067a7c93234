import { describe, expect, it } from "bun:test";
import { benjaminiHochberg } from "./benjamini-hochberg.ts";
import { binomialCdf, binomialUpperTail } from "./binomial-tail.ts";
import { fisherExact } from "./fisher-exact.ts";
import { lineResiduals } from "./line-residuals.ts";
import { mannKendall } from "./mann-kendall.ts";
import { median } from "./median.ts";
import { medianAbsoluteDeviation } from "./median-absolute-deviation.ts";
import { modifiedZScore } from "./modified-z-score.ts";
import { normalCdf, normalQuantile } from "./normal-distribution.ts";
import { rateRatioPValue } from "./rate-ratio-p-value.ts";
import { tQuantile } from "./t-distribution.ts";
import { theilSen } from "./theil-sen.ts";
import { varianceInflation } from "./variance-inflation.ts";
import { wilsonInterval } from "./wilson-interval.ts";

describe("edge cases of statistics", () => {
  it("return null without a sample", () => {
    expect(wilsonInterval(0, 0)).toBeNull();
    expect(median([])).toBeNull();
    expect(medianAbsoluteDeviation([])).toBeNull();
    expect(fisherExact(0, 0, 1, 10)).toBeNull();
    expect(fisherExact(1, 10, 0, 0)).toBeNull();
    expect(mannKendall([1, 2])).toBeNull();
    expect(theilSen([[1, 1]])).toBeNull();
    expect(
      theilSen([
        [1, 1],
        [1, 2],
      ]),
    ).toBeNull();
    expect(benjaminiHochberg([])).toEqual([]);
  });

  it("keep a Wilson interval within [0, 1] and exact at its ends", () => {
    expect(wilsonInterval(0, 1)).toEqual({ low: 0, high: 0.7934506856227626 });
    expect(wilsonInterval(1, 1)?.high).toBe(1);
  });

  it("score no outlier from fewer than 7 values or values without spread, and use the mean deviation at MAD 0", () => {
    expect(modifiedZScore(99, [1, 2, 3, 4, 5, 6])).toBeNull();
    expect(modifiedZScore(99, [5, 5, 5, 5, 5, 5, 5])).toBeNull();
    // Median 5, mean absolute deviation 7/7 = 1.
    expect(modifiedZScore(15, [5, 5, 5, 5, 5, 5, 12])).toBeCloseTo(10 / 1.2533, 12);
  });

  it("find no evidence in a constant series, and correct for ties otherwise", () => {
    expect(mannKendall([4, 4, 4, 4])).toEqual({ s: 0, pRising: 1, pFalling: 1, method: "normal" });
    // Var = (6·5·17 − 2·1·9) / 18 = 27.333…, z = (14 − 1) / √Var for {1,1,2,3,4,5}.
    const tied = mannKendall([1, 1, 2, 3, 4, 5]);
    expect(tied?.s).toBe(14);
    expect(tied?.pRising).toBeCloseTo(normalCdf(-13 / Math.sqrt(492 / 18)), 14);
  });

  it("return the ends of a distribution without a search", () => {
    expect([normalQuantile(0), normalQuantile(0.5), normalQuantile(1)]).toEqual([-Infinity, 0, Infinity]);
    expect([tQuantile(0, 3), tQuantile(0.5, 3), tQuantile(1, 3)]).toEqual([-Infinity, 0, Infinity]);
    expect([normalQuantile(-0.1), tQuantile(0.9, 0), normalCdf(Number.NaN)]).toEqual([NaN, NaN, NaN]);
    expect([binomialCdf(-1, 5, 0.3), binomialCdf(5, 5, 0.3)]).toEqual([0, 1]);
    expect([binomialUpperTail(0, 5, 0.3), binomialUpperTail(6, 5, 0.3)]).toEqual([1, 0]);
    expect([binomialCdf(3, 5, 0), binomialCdf(3, 5, 1)]).toEqual([1, 0]);
  });

  it("find no increase without elapsed time or without events", () => {
    expect(rateRatioPValue(0, 0, 5, 1)).toBe(1);
    expect(rateRatioPValue(0, 7, 0, 1)).toBe(1);
  });

  it("make a trend less certain with more autocorrelation, and do not change one of independent values", () => {
    const rising = [1, 2, 3, 5, 4, 6, 8, 7];
    expect(mannKendall(rising, 0.5)).toEqual(mannKendall(rising));
    const corrected = mannKendall(rising, 4);
    expect(corrected?.method).toBe("corrected");
    // z = 23 / √(4 · 65.333…)
    expect(corrected?.pRising).toBeCloseTo(normalCdf(-23 / Math.sqrt((4 * 1176) / 18)), 14);
    const places = (values: readonly number[]) => new Map(values.map((value, place) => [place, value]));
    const alternating = places(Array.from({ length: 40 }, (_, place) => (place % 2 === 0 ? 1 : -1)));
    const inRows = places(Array.from({ length: 40 }, (_, place) => (place % 20 < 10 ? 1 : -1)));
    expect(varianceInflation(alternating, 24)).toBe(1);
    expect(varianceInflation(inRows, 24)).toBeGreaterThan(4);
    expect(varianceInflation(new Map(), 24)).toBe(1);
    const line = lineResiduals(places([0.1, 0.2, 0.3, 0.4, 0.5]));
    expect([...line.values()]).toEqual([0, 0, 0, 0, 0]);
    expect(varianceInflation(line, 5)).toBe(1);
  });

  it("adjust p values for multiple testing", () => {
    const adjusted = benjaminiHochberg([0.01, 0.04, 0.03, 0.5]);
    for (const [index, expected] of [0.04, 0.16 / 3, 0.16 / 3, 0.5].entries()) {
      expect(adjusted[index]).toBeCloseTo(expected, 14);
    }
  });
});
