import { describe, expect, it } from "bun:test";
import { axisTicks, type ChartUnit, countUnit, durationUnit, moneyUnit, withUnpriced } from "./chart-unit.ts";

const labels = (top: number, unit: ChartUnit) => axisTicks(top, unit).map(tick => unit.onAxis(tick, top));

describe("the lines across a chart", () => {
  it("are at whole calls", () => {
    expect(labels(1, countUnit)).toEqual(["0", "1"]);
    expect(labels(116, countUnit)).toEqual(["0", "50", "100", "150"]);
    expect(labels(4_300_000, countUnit)).toEqual(["0", "1M", "2M", "3M", "4M", "5M"]);
  });

  it("are at round durations", () => {
    expect(labels(1, durationUnit)).toEqual(["0", "1 ms"]);
    expect(labels(220_000, durationUnit)).toEqual(["0", "1 min", "2 min", "3 min", "4 min"]);
    expect(labels(9 * 3_600_000, durationUnit)).toEqual([
      "0",
      "2 h 0 min",
      "4 h 0 min",
      "6 h 0 min",
      "8 h 0 min",
      "10 h 0 min",
    ]);
  });

  it("are at round amounts, which fit beside it however large they are", () => {
    expect(labels(12, moneyUnit)).toEqual(["$0.00", "$0.0000005", "$0.000001", "$0.0000015"]);
    expect(labels(59_000_000, moneyUnit)).toEqual(["$0.00", "$2.00", "$4.00", "$6.00"]);
    expect(labels(617_283_945_000_000, moneyUnit)).toEqual(["$0", "$20M", "$40M", "$60M", "$80M"]);
    for (let top = 1; top < 1e16; top *= 7) {
      for (const label of labels(top, moneyUnit)) expect(label.length).toBeLessThanOrEqual(10);
    }
  });

  it("are none without values", () => {
    expect(axisTicks(0, moneyUnit)).toEqual([0]);
  });
});

describe("an amount in a chart", () => {
  it.each([
    [0, 0, "$0.00"],
    [12_500_000, 0, "$1.25"],
    [12_500_000, 1, "$1.25 + 1 unpriced"],
    [0, 1234, "1,234 unpriced"],
  ])("DASH-005 of %d with %d calls of unknown cost", (amount, unpricedCalls, text) =>
    expect(withUnpriced(moneyUnit, amount, unpricedCalls)).toBe(text),
  );
});
