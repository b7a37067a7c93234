import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import {
  alertSchedule,
  delayAfter,
  MAX_RETRY_AFTER_MS,
  parseRetryAfter,
  webhookSchedule,
} from "./schedule.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const HOUR = 3_600_000;

describe("the schedule", () => {
  it("HOOK-009 makes ten attempts within 75 hours at any jitter; alerts make six within three", () => {
    for (const [schedule, tries, hours] of [
      [webhookSchedule, 10, 75],
      [alertSchedule, 6, 3],
    ] as const) {
      const spread = (jitter: number) =>
        schedule.reduce((sum, _, index) => sum + (delayAfter(schedule, index, jitter) ?? 0), 0);
      expect(schedule).toHaveLength(tries);
      expect(delayAfter(schedule, tries, 1)).toBeNull();
      expect(spread(1)).toBeLessThan(hours * HOUR);
      expect(spread(0)).toBeGreaterThan(0.89 * spread(1));
    }
  });

  it("HOOK-009 every delay is between 90 % and 100 % of its entry", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tries, jitter) => {
          const delay = delayAfter(webhookSchedule, tries, jitter) ?? -1;
          const entry = webhookSchedule[tries] ?? -1;
          return delay >= Math.floor(entry * 0.9) && delay <= entry;
        },
      ),
    );
  });
});

describe("Retry-After", () => {
  it.each([
    ["7", 7000],
    [" 120 ", 120_000],
    ["0", 0],
    ["999999999999", MAX_RETRY_AFTER_MS],
    ["Sun, 15 Nov 2026 12:00:30 GMT", 30_000],
    ["Sunday, 15-Nov-26 12:01:00 GMT", 60_000],
    ["Sun Nov 15 12:00:10 2026", 10_000],
    ["Sun, 15 Nov 2026 11:00:00 GMT", 0],
    ["Sun, 15 Nov 2037 12:00:00 GMT", MAX_RETRY_AFTER_MS],
    ["-1", null],
    ["1.5", null],
    ["soon", null],
    ["Sunday", null],
    ["", null],
    [null, null],
  ])("HOOK-010 %p is %p ms", (text, expected) => {
    expect(parseRetryAfter(text, NOW)).toBe(expected);
  });
});
