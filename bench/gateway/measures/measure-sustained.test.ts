import { describe, expect, it } from "bun:test";
import { growthOver } from "./measure-sustained.ts";

const samples = (mbAt: (n: number) => number) =>
  Array.from({ length: 51 }, (_, n) => ({ done: 100_000 + n * 2000, mb: mbAt(n) }));

describe("growthOver", () => {
  it("is the total of a steady growth over the readings", () => {
    expect(growthOver(samples(n => 100 + n * 0.4))).toBeCloseTo(20, 6);
  });

  it("is zero for an oscillation, whatever its phase", () => {
    for (const phase of [0, 1, 2, 3]) {
      expect(Math.abs(growthOver(samples(n => 110 + 10 * Math.sin(n + phase))) ?? 99)).toBeLessThan(3);
    }
  });

  it("is null for a handful of readings", () => {
    expect(growthOver(samples(n => n).slice(0, 9))).toBeNull();
  });
});
