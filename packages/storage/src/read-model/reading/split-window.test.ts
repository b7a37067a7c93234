import { describe, expect, it } from "bun:test";
import { DAY_MS, HOUR_MS, WEEK_MS } from "@tollgate/core/time/durations";
import fc from "fast-check";
import { extendWindow, splitWeeks, splitWindow } from "./split-window.ts";

const time = fc.oneof(
  fc.integer({ min: 0, max: 20 * DAY_MS }),
  fc.integer({ min: 0, max: 20 * 24 }).map(hours => hours * HOUR_MS),
);

describe("splitting a window", () => {
  it("covers every millisecond exactly once, in the largest possible pieces", () => {
    fc.assert(
      fc.property(time, time, (from, to) => {
        const { days, hours, moments } = splitWindow({ from, to });
        const pieces = [...days, ...hours, ...moments].toSorted((a, b) => a.from - b.from);
        if (from >= to) return expect(pieces).toEqual([]);
        expect(pieces[0]?.from).toBe(from);
        expect(pieces.at(-1)?.to).toBe(to);
        for (const [index, piece] of pieces.entries()) {
          expect(piece.to).toBeGreaterThan(piece.from);
          expect(pieces[index + 1]?.from ?? to).toBe(piece.to);
        }
        for (const piece of days) expect([piece.from % DAY_MS, piece.to % DAY_MS]).toEqual([0, 0]);
        for (const piece of hours) expect([piece.from % HOUR_MS, piece.to % HOUR_MS]).toEqual([0, 0]);
        for (const piece of moments) expect(piece.to - piece.from).toBeLessThan(HOUR_MS * 2);
        expect(days.length).toBeLessThanOrEqual(1);
        expect(hours.length).toBeLessThanOrEqual(2);
        expect(moments.length).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe("extending a window", () => {
  it("completes the running unit and knows the excess, and otherwise leaves the window as it is", () => {
    fc.assert(
      fc.property(time, time, time, fc.constantFrom(HOUR_MS, DAY_MS), (from, to, nowMs, unitMs) => {
        const { whole, excess } = extendWindow({ from, to }, unitMs, nowMs);
        expect(whole.from).toBe(from);
        if (excess === null) return expect(whole.to).toBe(to);
        expect([whole.to % unitMs, excess.from, excess.to]).toEqual([0, to, whole.to]);
        expect(whole.to - to).toBeLessThan(unitMs);
        expect(whole.to).toBeGreaterThan(nowMs);
        expect(from).toBeLessThan(to);
      }),
    );
    const noon = { from: 0, to: 2.5 * DAY_MS };
    expect(extendWindow(noon, DAY_MS, noon.to).whole).toEqual({ from: 0, to: 3 * DAY_MS });
  });
});

describe("splitting days into weeks", () => {
  it("counts every day once, with at most a week of days on either side", () => {
    const day = fc.integer({ min: 0, max: 60 }).map(index => index * DAY_MS);
    fc.assert(
      fc.property(day, day, time, (from, to, nowMs) => {
        fc.pre(from < to);
        const { weeks, days, excessDays } = splitWeeks({ from, to }, nowMs);
        const lengthMs = (windows: readonly { from: number; to: number }[]) =>
          windows.reduce((sum, window) => sum + window.to - window.from, 0);
        expect(lengthMs([...weeks, ...days]) - lengthMs(excessDays)).toBe(to - from);
        for (const week of weeks) expect([week.from % WEEK_MS, week.to % WEEK_MS]).toEqual([0, 0]);
        if (weeks.length > 0) for (const piece of days) expect(lengthMs([piece])).toBeLessThan(WEEK_MS);
        for (const excess of excessDays) {
          expect([excess.from, weeks[0]?.to]).toEqual([to, excess.to]);
          expect(excess.to).toBeGreaterThan(nowMs);
        }
      }),
    );
  });
});
