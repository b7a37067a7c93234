import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { MINUTE_MS } from "../time/durations.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** Offers a call at each time, and counts it if it is admitted. */
function admit(window: SlidingWindow, limit: number, times: readonly number[]): number[] {
  const admitted: number[] = [];
  for (const now of times) {
    if (window.used(now) >= limit) continue;
    window.add(now);
    admitted.push(now);
  }
  return admitted;
}

const arrivals = fc
  .array(fc.nat({ max: 20_000 }), { minLength: 1, maxLength: 300 })
  .map(gaps => gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0)));

describe("SlidingWindow", () => {
  it("LIM-007 never admits more than the limit in any 60 s", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 40 }), (times, limit) => {
        const admitted = admit(new SlidingWindow(MINUTE_MS), limit, times);
        for (const start of admitted) {
          const within = admitted.filter(time => time >= start && time < start + MINUTE_MS);
          expect(within.length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it("LIM-007 refuses only while the limit's number of calls is within the last 60 s", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 40 }), (times, limit) => {
        const window = new SlidingWindow(MINUTE_MS);
        const admitted: number[] = [];
        for (const now of times) {
          const within = admitted.filter(time => time > now - MINUTE_MS).length;
          expect(window.used(now)).toBe(within);
          if (within >= limit) continue;
          window.add(now);
          admitted.push(now);
        }
      }),
    );
  });

  it("LIM-007 admits as soon as the oldest call leaves, and reports when", () => {
    const window = new SlidingWindow(MINUTE_MS);
    admit(window, 3, [1000, 2000, 3000]);
    expect(window.roomAt(3, 3000)).toBe(61_000);
    expect(window.used(60_999)).toBe(3);
    expect(window.used(61_000)).toBe(2);
    expect(window.roomAt(3, 61_000)).toBe(61_000);
  });

  it("reports the wait even after the limit was lowered below current usage", () => {
    const window = new SlidingWindow(MINUTE_MS);
    admit(window, 10, [0, 100, 200, 300, 400]);
    // Four of the five calls must leave before a second is admitted.
    expect(window.roomAt(2, 500)).toBe(60_300);
    expect(window.used(60_300)).toBe(1);
  });

  it("keeps its order when it grows around the end of its ring", () => {
    const window = new SlidingWindow(100);
    for (let now = 0; now < 1000; now++) {
      window.add(now);
      expect(window.used(now)).toBe(Math.min(now + 1, 100));
      expect(window.nextLeaves(now)).toBe(Math.max(0, now - 99) + 100);
    }
  });

  it("is empty at the start", () => {
    const window = new SlidingWindow(MINUTE_MS);
    expect([window.used(5), window.nextLeaves(5), window.roomAt(1, 5)]).toEqual([0, 5, 5]);
  });

  it("does not lock out an organization when the clock is set back by an hour", () => {
    const window = new SlidingWindow(MINUTE_MS);
    const hour = 3_600_000;
    admit(window, 3, [hour, hour + 1000, hour + 2000]);
    expect(window.used(2000)).toBe(3);
    expect(window.roomAt(3, 2000)).toBeLessThanOrEqual(2000 + MINUTE_MS);
    expect(window.used(2000 + MINUTE_MS)).toBe(0);
  });

  it("counts each call of one millisecond, and reports when enough of them leave", () => {
    const window = new SlidingWindow(MINUTE_MS);
    for (const now of [1000, 1000, 1000, 2000, 3000, 3000]) window.add(now);
    expect(window.used(3000)).toBe(6);
    expect([6, 4, 3, 2].map(limit => window.roomAt(limit, 3000))).toEqual([61_000, 61_000, 62_000, 63_000]);
    expect([61_000, 62_000, 63_000].map(now => window.used(now))).toEqual([3, 2, 0]);
  });
});
