import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import type { CallSums } from "../money/call-sums.ts";
import { DAY_MS } from "../time/durations.ts";
import { DaySums } from "./day-sums.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const call = (cost: number): CallSums => ({
  calls: 1,
  errors: 0,
  input_tokens: 10,
  output_tokens: 5,
  cost_microcents: cost,
  unpriced_calls: cost === 0 ? 1 : 0,
});

describe("DaySums", () => {
  it.each([
    ["2026-11-15T00:00:00Z", [1, 1, 1]],
    ["2026-11-14T23:59:59.999Z", [0, 1, 1]],
    ["2026-11-01T00:00:00Z", [0, 1, 1]],
    ["2026-10-31T23:59:59Z", [0, 0, 1]],
    ["2026-10-17T00:00:00Z", [0, 0, 1]],
    ["2026-10-16T23:59:59Z", [0, 0, 0]],
  ] as const)("counts a call of %s in the windows that contain it", (time, expected) => {
    const sums = new DaySums();
    sums.add(Date.parse(time), call(7));
    const { today, month, last_30_days } = sums.totals(NOW, 0);
    expect([today.calls, month.calls, last_30_days.calls]).toEqual([...expected]);
    expect(last_30_days.cost_microcents).toBe((expected[2] ?? 0) * 7);
  });

  it("excludes the day on which the tier's history starts, and all days before it", () => {
    const sums = new DaySums();
    for (const day of [0, 1, 6, 7, 8]) sums.add(NOW - day * DAY_MS, call(1));
    expect(sums.totals(NOW, NOW - 7 * DAY_MS).last_30_days.calls).toBe(3);
  });

  it("moves with the day: yesterday's calls stay in the month and leave today", () => {
    const sums = new DaySums();
    sums.add(NOW, call(3));
    const tomorrow = sums.totals(NOW + DAY_MS, 0);
    expect([tomorrow.today.calls, tomorrow.month.calls]).toEqual([0, 1]);
  });

  it("does not depend on the order of calls, single or summed", () => {
    const calls = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 1000 })));
    fc.assert(
      fc.property(calls, list => {
        const one = new DaySums();
        const other = new DaySums();
        for (const [day, cost] of list) one.add(NOW - day * DAY_MS, call(cost));
        for (const [day, cost] of list.toReversed()) {
          other.add(NOW - day * DAY_MS, { ...call(cost), calls: 0 });
          other.add(NOW - day * DAY_MS, { ...call(0), input_tokens: 0, output_tokens: 0, unpriced_calls: 0 });
        }
        expect(one.totals(NOW, 0)).toEqual(other.totals(NOW, 0));
      }),
    );
  });

  it("starts early enough for every window", () => {
    expect(DaySums.firstDay(NOW)).toBe(Date.parse("2026-10-17T00:00:00Z"));
    expect(DaySums.firstDay(Date.parse("2026-01-31T23:00:00Z"))).toBe(Date.parse("2026-01-01T00:00:00Z"));
  });
});
