import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { dollarsToMicrocents } from "./dollars-to-microcents.ts";

describe("dollarsToMicrocents", () => {
  for (const [dollars, expected] of [
    [1, 10_000_000],
    [0.1, 1_000_000],
    [0.1 + 0.2, 3_000_000],
    [0.00001234, 123],
    [1.5e-7, 2],
    [2.5e-7, 2],
    ["0.05", 500_000],
    [0, 0],
  ] as const) {
    it(`reads ${dollars} as ${expected}`, () => expect(dollarsToMicrocents(dollars)).toBe(expected as never));
  }

  for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, "", "free", "1".repeat(65)]) {
    it(`rejects ${String(bad).slice(0, 20)}`, () => expect(dollarsToMicrocents(bad)).toBeNull());
  }

  it("is exact for every whole number of microcents", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), amount => {
        const digits = String(amount).padStart(8, "0");
        const dollars = `${digits.slice(0, -7)}.${digits.slice(-7)}`;
        expect(dollarsToMicrocents(dollars)).toBe(amount as never);
        expect(dollarsToMicrocents(Number(dollars))).toBe(amount as never);
      }),
    );
  });
});
