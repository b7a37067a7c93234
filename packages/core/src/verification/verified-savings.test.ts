import { describe, expect, it } from "bun:test";
import { estimatedMicroDollars, microDollars } from "../money/micro-dollars.ts";
import { type BackedSwitch, verifiedSavings } from "./verified-savings.ts";

const AMPLE = 1_000_000;

function backed(calls: number, perCall: BackedSwitch["perCall"], savedMicrocents = AMPLE): BackedSwitch {
  return { perCall, effects: [{ calls, savedMicrocents }] };
}

describe("verified savings", () => {
  it("add up the errors of several verdicts by squares, and those of one verdict's calls plainly", () => {
    const two = [
      backed(10, { value: 100, low: 70, high: 130 }),
      backed(20, { value: 50, low: 30, high: 70 }),
    ];
    expect(verifiedSavings(two)).toEqual({ microcents: 2000, interval: { low: 1500, high: 2500 } });
    expect(verifiedSavings([])).toEqual({ microcents: 0, interval: null });
  });

  it("have no interval if a verdict has none", () => {
    const two = [
      backed(10, { value: 100, low: 70, high: 130 }),
      backed(1, { value: 7, low: null, high: null }),
    ];
    expect(verifiedSavings(two)).toEqual({ microcents: 1007, interval: null });
  });

  it("are never more than each effect was measured to save, nor is their interval", () => {
    const perCall = { value: 100, low: 70, high: 130 };
    expect(verifiedSavings([backed(10, perCall, 800)])).toEqual({
      microcents: 800,
      interval: { low: 700, high: 800 },
    });
    expect(verifiedSavings([backed(10, perCall, 1100)]).interval).toEqual({ low: 700, high: 1100 });
    expect(verifiedSavings([backed(10, perCall, -50)]).microcents).toBe(-50);
    // What one effect saved beyond the verdict does not make up for another.
    const effects = [
      { calls: 10, savedMicrocents: 0 },
      { calls: 10, savedMicrocents: AMPLE },
    ];
    expect(verifiedSavings([{ perCall, effects }]).microcents).toBe(1000);
  });

  it("are rounded to micro-dollars once, with an interval that stays around them", () => {
    expect([1, 5, 15, 25, -15, 12_345].map(microDollars)).toEqual([0, 0, 2, 2, -2, 1234]);
    const { value, interval } = estimatedMicroDollars(1007, { low: 1006, high: 1008 });
    expect([interval?.low, value, interval?.high]).toEqual([100, 101, 101]);
  });
});
