import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { benjaminiHochberg } from "./benjamini-hochberg.ts";
import { binomialDensity } from "./binomial-density.ts";
import { binomialCdf, binomialUpperTail } from "./binomial-tail.ts";
import { fisherExact } from "./fisher-exact.ts";
import { incompleteBeta } from "./incomplete-beta.ts";
import { mannKendall } from "./mann-kendall.ts";
import { modifiedZScore } from "./modified-z-score.ts";
import { normalCdf, normalQuantile } from "./normal-distribution.ts";
import { tQuantile } from "./t-distribution.ts";
import { theilSen } from "./theil-sen.ts";
import { wilsonInterval } from "./wilson-interval.ts";

const chance = fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true });
const shape = fc.double({ min: 0.05, max: 500, noNaN: true });
const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 8, maxLength: 30 });

/** n and some k ≤ n. */
const counts = fc
  .integer({ min: 1, max: 400 })
  .chain(n => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));

describe("statistics hold for every input", () => {
  it("Φ and Φ⁻¹ are inverse, symmetric and increasing", () => {
    fc.assert(
      fc.property(chance, fc.double({ min: -37, max: 37, noNaN: true }), (p, x) => {
        expect(Math.abs(normalCdf(normalQuantile(p)) - p)).toBeLessThanOrEqual(1e-13 * p + 1e-15);
        expect(normalCdf(x) + normalCdf(-x)).toBeCloseTo(1, 14);
        expect(normalCdf(x + 0.01)).toBeGreaterThanOrEqual(normalCdf(x));
      }),
    );
  });

  it("t quantiles are symmetric and wider than normal ones", () => {
    fc.assert(
      fc.property(chance, fc.double({ min: 0.5, max: 1e8, noNaN: true }), (p, df) => {
        const t = tQuantile(p, df);
        expect(Math.abs(t)).toBeGreaterThanOrEqual(Math.abs(normalQuantile(p)) * (1 - 1e-9));
        expect(Math.abs(tQuantile(1 - p, df) + t)).toBeLessThanOrEqual(1e-3 * Math.abs(t) + 1e-9);
      }),
      { numRuns: 50 },
    );
  });

  it("the incomplete beta function is symmetric, within [0, 1], and increasing", () => {
    fc.assert(
      fc.property(chance, shape, shape, (x, a, b) => {
        const value = incompleteBeta(x, a, b);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(value + incompleteBeta(1 - x, b, a, x)).toBeCloseTo(1, 10);
        expect(incompleteBeta(x + (1 - x) / 10, a, b)).toBeGreaterThanOrEqual(value - 1e-12);
      }),
    );
  });

  it("binomial tails are the sums of their densities, and complementary", () => {
    fc.assert(
      fc.property(counts, chance, ([k, n], p) => {
        let sum = 0;
        for (let i = 0; i <= k; i += 1) sum += binomialDensity(i, n, p);
        expect(binomialCdf(k, n, p)).toBeCloseTo(sum, 10);
        expect(binomialCdf(k, n, p) + binomialUpperTail(k + 1, n, p)).toBeCloseTo(1, 12);
      }),
    );
  });

  it("a Wilson interval contains the rate, and mirrors the interval of the failures", () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const { low, high } = wilsonInterval(k, n) ?? { low: Number.NaN, high: Number.NaN };
        const misses = wilsonInterval(n - k, n);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(k / n);
        expect(high).toBeGreaterThanOrEqual(k / n);
        expect(high).toBeLessThanOrEqual(1);
        expect(misses?.low).toBeCloseTo(1 - high, 12);
        expect(misses?.high).toBeCloseTo(1 - low, 12);
      }),
    );
  });

  it("Fisher's tails are complementary, and more hits are never less evidence", () => {
    fc.assert(
      fc.property(counts, counts, ([a, n], [b, m]) => {
        const p = fisherExact(a, n, b, m) ?? Number.NaN;
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        // At least a of ours, or (with the same margins) at least b + 1 of the other's.
        const other = a > 0 && b < m ? fisherExact(b + 1, m, a - 1, n) : null;
        if (other !== null) expect(p + other).toBeCloseTo(1, 9);
        if (a < n) expect(fisherExact(a + 1, n, b, m) ?? Number.NaN).toBeLessThanOrEqual(p + 1e-12);
      }),
    );
  });

  it("a reversed trend has exchanged tails, and only the order matters", () => {
    fc.assert(
      fc.property(values, series => {
        const test = mannKendall(series);
        const reversed = mannKendall(series.toReversed());
        expect(reversed?.s).toBe(-(test?.s ?? 0) + 0);
        expect(reversed?.pRising).toBe(test?.pFalling);
        expect(test?.pRising).toBeGreaterThanOrEqual(0);
        expect(test?.pRising).toBeLessThanOrEqual(1);
        expect(mannKendall(series.map(value => value ** 3))).toEqual(test);
      }),
    );
  });

  it("Theil–Sen recovers a line despite outliers", () => {
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 }), (slope, base) => {
        const points = Array.from({ length: 12 }, (_, x) => [x, base + slope * x] as const);
        const wild = points.map(([x, y]) => [x, x === 4 || x === 9 ? 1e9 : y] as const);
        expect(theilSen(points)).toEqual({ slope, intercept: base });
        expect(theilSen(wild)?.slope).toBe(slope);
      }),
    );
  });

  it("a modified z score increases with the value and does not depend on its unit", () => {
    fc.assert(
      fc.property(values, fc.integer({ min: -5000, max: 5000 }), (sample, x) => {
        const score = modifiedZScore(x, sample);
        if (score === null) return;
        expect(modifiedZScore(x + 1, sample)).toBeGreaterThan(score);
        expect(
          modifiedZScore(
            x * 8,
            sample.map(value => value * 8),
          ),
        ).toBeCloseTo(score, 9);
      }),
    );
  });

  it("adjusted p values keep their order, are never smaller than the plain ones, nor larger than Bonferroni's", () => {
    fc.assert(
      fc.property(fc.array(chance, { minLength: 1, maxLength: 40 }), pValues => {
        const adjusted = benjaminiHochberg(pValues);
        for (const [i, p] of pValues.entries()) {
          expect(adjusted[i]).toBeGreaterThanOrEqual(p * (1 - 1e-12));
          expect(adjusted[i]).toBeLessThanOrEqual(Math.min(1, p * pValues.length) * (1 + 1e-12));
          for (const [j, other] of pValues.entries()) {
            if (other > p) expect(adjusted[j]).toBeGreaterThanOrEqual(adjusted[i] ?? Number.NaN);
          }
        }
      }),
    );
  });
});
