import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { normalQuantile } from "./normal-distribution.ts";
import { pairedSampleSize } from "./paired-sample-size.ts";
import { savingsRatio } from "./savings-ratio.ts";
import { tangoBound } from "./tango-bound.ts";

const BEFORE = [100, 120, 80, 150, 90, 110];
const AFTER = [70, 95, 60, 100, 75, 70];
const ratio = savingsRatio(BEFORE.map((before, index) => [before, AFTER[index] ?? Number.NaN] as const));

/** Each value was found by two methods that do not share code. */
const ACCEPTED: readonly (readonly [string, number | null | undefined, number])[] = [
  ["Tango 30/50/20", tangoBound(30, 50, 20), -0.016498876456133273],
  ["Tango 18/60/22", tangoBound(18, 60, 22), -0.14414400806171596],
  ["Tango 0/50/0", tangoBound(0, 50, 0), -0.05133318578627019],
  ["Tango 0/52/0", tangoBound(0, 52, 0), -0.04945647704543317],
  ["Tango 0/0/10", tangoBound(0, 0, 10), -1],
  ["Tango 10/0/0", tangoBound(10, 0, 0), 0.5741160598331856],
  ["Tango 40/120/40", tangoBound(40, 120, 40), -0.07379534050627379],
  ["savings", ratio?.value, 0.27692307692307694],
  ["Fieller, low", ratio?.low, 0.1842988309106528],
  ["Fieller, high", ratio?.high, 0.34977981289756743],
  ["pairs at a margin of .1", pairedSampleSize(0.4, 0.1), 248],
  ["pairs at a margin of .05", pairedSampleSize(0.4, 0.05), 990],
];

describe("statistics of verifications", () => {
  it.each([...ACCEPTED])("agree with the accepted value to nine digits: %s", (_, value, accepted) => {
    expect(Math.abs((value ?? Number.NaN) - accepted)).toBeLessThanOrEqual(1e-9 * Math.abs(accepted));
  });

  it("Tango's bound of n ties is −z²/(n + z²)", () => {
    const z = normalQuantile(0.95);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), n => {
        expect(Math.abs((tangoBound(0, n, 0) ?? Number.NaN) + z ** 2 / (n + z ** 2))).toBeLessThan(1e-12);
      }),
    );
  });

  it("Tango's bound is below the observed difference, and increases if a tie becomes a win", () => {
    const count = fc.integer({ min: 0, max: 2000 });
    fc.assert(
      fc.property(count, fc.integer({ min: 1, max: 2000 }), count, (wins, ties, losses) => {
        const bound = tangoBound(wins, ties, losses) ?? Number.NaN;
        expect(bound).toBeLessThanOrEqual((wins - losses) / (wins + ties + losses));
        expect(bound).toBeGreaterThanOrEqual(-1);
        expect(tangoBound(wins + 1, ties - 1, losses) ?? Number.NaN).toBeGreaterThanOrEqual(bound - 1e-12);
      }),
    );
  });

  it("say nothing where nothing is known", () => {
    expect(tangoBound(0, 0, 0)).toBeNull();
    expect(pairedSampleSize(0.5, 0)).toBeNull();
    expect(savingsRatio([])).toBeNull();
    expect(savingsRatio([[0, 10]])).toBeNull();
    expect(savingsRatio([[10, 5]])).toEqual({ value: 0.5, low: null, high: null });
    // Spending before that varies so much that zero is plausible: any ratio could be true.
    expect(
      savingsRatio([
        [1, 1],
        [1000, 10],
      ]),
    ).toMatchObject({ low: null, high: null });
  });
});
