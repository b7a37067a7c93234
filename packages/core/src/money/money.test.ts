import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import {
  centsPerMillion,
  divideHalfEven,
  MICROCENTS_PER_CENT,
  MICROCENTS_PER_DOLLAR,
  microcents,
  multiplyRate,
  RATE_SCALE,
  ratePerMillion,
  ratePerThousand,
  roundToMicrocents,
} from "./money.ts";

describe("money", () => {
  it("MON-001 is an integer number of microcents: 100,000 per cent, 10,000,000 per dollar", () => {
    expect(MICROCENTS_PER_CENT).toBe(100_000);
    expect(MICROCENTS_PER_DOLLAR).toBe(10_000_000);
    for (const notMoney of [0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1]) {
      expect(() => microcents(notMoney)).toThrow(RangeError);
    }
  });

  it("rejects an amount that would no longer be exact", () => {
    expect(() => microcents(Number.MAX_SAFE_INTEGER + 1)).toThrow(RangeError);
  });

  for (const [halves, rounded] of [
    [0n, 0n],
    [1n, 0n],
    [2n, 1n],
    [3n, 2n],
    [5n, 2n],
    [7n, 4n],
    [-1n, 0n],
    [-3n, -2n],
    [-5n, -2n],
  ] as const) {
    it(`MON-003 rounds ${Number(halves) / 2} half to even, to ${rounded}`, () => {
      expect(divideHalfEven(halves, 2n)).toBe(rounded);
      expect(roundToMicrocents((halves * RATE_SCALE) / 2n)).toBe(microcents(Number(rounded)));
    });
  }

  it("never rounds by more than half a unit, and keeps an exact quotient", () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.bigInt(1n, 10n ** 12n), (dividend, divisor) => {
        const rest = divideHalfEven(dividend, divisor) * divisor - dividend;
        expect((rest < 0n ? -rest : rest) * 2n <= divisor).toBe(true);
        expect(divideHalfEven(dividend * divisor, divisor)).toBe(dividend);
      }),
    );
  });

  it("reads prices as the decimals they are written as", () => {
    for (const [dollars, nanos] of [
      ["0.075", 750_000_000n],
      [0.1, 1_000_000_000n],
      ["15", 150_000_000_000n],
      [1e-7, 1_000n],
      ["2.5e1", 250_000_000_000n],
    ] as const) {
      expect<bigint>(ratePerMillion(dollars)).toBe(nanos);
      expect<bigint>(ratePerThousand(dollars)).toBe(nanos * 1000n);
    }
  });

  it("rejects an invalid price, or one finer than a rate can represent, instead of rounding it", () => {
    for (const text of ["", "-1", "1,5", "NaN", "0x10"])
      expect(() => ratePerMillion(text)).toThrow(RangeError);
    expect(() => ratePerMillion("0.00000000001")).toThrow("finer");
    expect(() => multiplyRate(ratePerMillion("0.0000000001"), "0.5")).toThrow("finer");
  });

  it("shows a rate in the spec's unit: $0.15 per million is 15 cents per million", () => {
    expect(centsPerMillion(ratePerMillion("0.15"))).toBe(15);
    expect(centsPerMillion(multiplyRate(ratePerMillion("0.15"), "0.5"))).toBe(7.5);
  });
});
