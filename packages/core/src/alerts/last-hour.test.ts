import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { LastHour } from "./last-hour.ts";

const NOON = Date.parse("2026-11-15T12:00:00Z");
const MINUTE = 60_000;

describe("the last hour", () => {
  it("keeps this minute and the 59 before it", () => {
    const hour = new LastHour();
    hour.add(NOON, true, 1);
    hour.advance(NOON + 59 * MINUTE + 59_999);
    expect([hour.calls, hour.errors]).toEqual([1, 1]);
    hour.advance(NOON + 60 * MINUTE);
    expect([hour.calls, hour.errors]).toEqual([0, 0]);
  });

  it("accepts late calls within the hour, and nothing older", () => {
    const hour = new LastHour();
    hour.add(NOON, false, 1);
    hour.add(NOON - 59 * MINUTE, false, 1);
    hour.add(NOON - 60 * MINUTE, false, 1);
    expect(hour.calls).toBe(2);
    hour.advance(NOON - 30 * MINUTE);
    expect(hour.calls).toBe(2);
  });

  it("counts the same as a list of all calls, in any order of arrival", () => {
    const call = fc.record({
      minute: fc.integer({ min: 0, max: 200 }),
      isError: fc.boolean(),
      latencyMs: fc.integer({ min: 0, max: 20_000 }),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 300 }), fc.integer({ min: 1, max: 20_000 }), (calls, line) => {
        const hour = new LastHour(line);
        let newest = 0;
        let kept: typeof calls = [];
        for (const one of calls) {
          newest = Math.max(newest, one.minute);
          hour.add(NOON + one.minute * MINUTE, one.isError, one.latencyMs);
          kept = [...kept, one].filter(({ minute }) => minute > newest - 60);
        }
        expect(hour.calls).toBe(kept.length);
        expect(hour.errors).toBe(kept.filter(({ isError }) => isError).length);
        const sorted = kept.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
        const exact = sorted[Math.ceil(sorted.length * 0.99) - 1];
        const p99 = hour.p99Ms();
        if (exact === undefined) return expect(p99).toBeNull();
        // Exact relative to the threshold, three digits otherwise.
        expect(hour.isSlow()).toBe(exact >= line);
        expect((p99 ?? -1) >= line).toBe(exact >= line);
        expect(Math.abs((p99 ?? -1) - exact)).toBeLessThanOrEqual(Math.max(1, exact * 0.005));
      }),
    );
  });
});
