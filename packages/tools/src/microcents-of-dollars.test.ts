import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { microcentsOfDollars } from "./microcents-of-dollars.ts";

describe("microcentsOfDollars", () => {
  for (const [dollars, amount] of [
    [1, 10_000_000],
    [0.1, 1_000_000],
    [0.29, 2_900_000],
    [1.1, 11_000_000],
    [0.0000001, 1],
    [1e-7, 1],
    [19.99, 199_900_000],
    [4.35, 43_500_000],
    [900_000_000, 9_000_000_000_000_000],
    [12.3456789, 123_456_789],
    [0.00000001, null],
    [1.5e-7, null],
    [0.12345678, null],
    [-1, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [1e300, null],
  ] as const) {
    it(`$${dollars} is ${amount === null ? "not a whole number of microcents" : `${amount} microcents`}`, () => {
      expect(microcentsOfDollars(dollars)).toBe(amount as never);
    });
  }

  it("TOOL-024 converts every amount with at most seven decimals exactly", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000_000_000 }), amount => {
        const digits = String(amount).padStart(8, "0");
        const dollars = Number(`${digits.slice(0, -7)}.${digits.slice(-7)}`);
        expect(microcentsOfDollars(dollars)).toBe(amount as never);
      }),
    );
  });
});
