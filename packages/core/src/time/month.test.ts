import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { monthOf, startOfMonth, startOfNextMonth } from "./month.ts";

const at = (text: string) => Date.parse(text);

describe("UTC months", () => {
  for (const [now, month, next] of [
    ["2026-11-01T00:00:00.000Z", "2026-11", "2026-12-01T00:00:00.000Z"],
    ["2026-11-30T23:59:59.999Z", "2026-11", "2026-12-01T00:00:00.000Z"],
    ["2026-12-31T23:59:59.999Z", "2026-12", "2027-01-01T00:00:00.000Z"],
    ["2028-02-29T12:00:00.000Z", "2028-02", "2028-03-01T00:00:00.000Z"],
    ["2026-01-31T23:30:00.000-02:00", "2026-02", "2026-03-01T00:00:00.000Z"],
  ] as const) {
    it(`${now} is in ${month}, which ends at ${next}`, () => {
      expect(monthOf(at(now))).toBe(month);
      expect(new Date(startOfNextMonth(at(now))).toISOString()).toBe(next);
      expect(new Date(startOfMonth(at(now))).toISOString()).toBe(`${month}-01T00:00:00.000Z`);
    });
  }

  it("assigns every instant to exactly one month", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }),
        date => {
          const now = date.getTime();
          expect(startOfMonth(now) <= now && now < startOfNextMonth(now)).toBe(true);
          expect(monthOf(startOfNextMonth(now) - 1)).toBe(monthOf(now));
          expect(monthOf(startOfNextMonth(now))).not.toBe(monthOf(now));
        },
      ),
    );
  });
});
