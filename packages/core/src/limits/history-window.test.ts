import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { DAY_MS } from "../time/durations.ts";
import { historyWindow } from "./history-window.ts";
import { tierNames, tiers } from "./tiers.ts";

const now = Date.parse("2026-11-15T12:00:00Z");

describe("historyWindow", () => {
  it("LIM-012 is the last 30 days by default", () => {
    expect(historyWindow({}, "enterprise", now)).toEqual({ from: now - 30 * DAY_MS, to: now });
    expect(historyWindow({ days: 3 }, "enterprise", now)).toEqual({ from: now - 3 * DAY_MS, to: now });
    expect(historyWindow({ period_days: 3 }, "pro", now)).toEqual({ from: now - 3 * DAY_MS, to: now });
    expect(historyWindow({}, "starter", now)).toEqual({ from: now - 7 * DAY_MS, to: now });
  });

  it("`from` takes precedence over `days`; a window entirely before the history is empty", () => {
    expect(historyWindow({ from: now - DAY_MS, days: 9 }, "pro", now).from).toBe(now - DAY_MS);
    const empty = historyWindow({ from: now - 20 * DAY_MS, to: now - 10 * DAY_MS }, "starter", now);
    expect(empty).toEqual({ from: now - 7 * DAY_MS, to: now - 7 * DAY_MS });
  });

  it.each([{ from: now, to: now - 1 }, { days: 1, period_days: 2 }, { to: now + 367 * DAY_MS }])(
    "refuses %j",
    asked => {
      expect(() => historyWindow(asked, "pro", now)).toThrow();
    },
  );

  it("LIM-013 never starts before the tier's history, and never ends before it starts", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...tierNames),
        fc.record(
          {
            from: fc.integer({ min: 0, max: now }),
            to: fc.integer({ min: now, max: now + DAY_MS }),
            days: fc.integer({ min: 1, max: 36_500 }),
          },
          { requiredKeys: [] },
        ),
        (tier, asked) => {
          const { from, to } = historyWindow(asked, tier, now);
          const { historyDays } = tiers[tier];
          expect(from).toBeGreaterThanOrEqual(Number.isFinite(historyDays) ? now - historyDays * DAY_MS : 0);
          expect(to).toBeGreaterThanOrEqual(from);
        },
      ),
    );
  });
});
