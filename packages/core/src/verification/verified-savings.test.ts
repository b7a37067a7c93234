import { describe, expect, it } from "bun:test";
import { estimatedMicroDollars, microDollars } from "../money/micro-dollars.ts";
import { verifiedSavings } from "./verified-savings.ts";

describe("verified savings", () => {
  it("add up the errors of several verdicts by squares, and those of one verdict's calls plainly", () => {
    const backed = [
      { calls: 10, perCall: { value: 100, low: 70, high: 130 } },
      { calls: 20, perCall: { value: 50, low: 30, high: 70 } },
    ];
    expect(verifiedSavings(backed)).toEqual({ microcents: 2000, interval: { low: 1500, high: 2500 } });
    expect(verifiedSavings([])).toEqual({ microcents: 0, interval: null });
  });

  it("have no interval if a verdict has none", () => {
    const backed = [
      { calls: 10, perCall: { value: 100, low: 70, high: 130 } },
      { calls: 1, perCall: { value: 7, low: null, high: null } },
    ];
    expect(verifiedSavings(backed)).toEqual({ microcents: 1007, interval: null });
  });

  it("are rounded to micro-dollars once, with an interval that stays around them", () => {
    expect([1, 5, 15, 25, -15, 12_345].map(microDollars)).toEqual([0, 0, 2, 2, -2, 1234]);
    const { value, interval } = estimatedMicroDollars(1007, { low: 1006, high: 1008 });
    expect([interval?.low, value, interval?.high]).toEqual([100, 101, 101]);
  });
});
