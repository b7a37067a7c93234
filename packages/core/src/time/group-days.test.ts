import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { DAY_MS } from "./durations.ts";
import { dateLabel, groupDays, groupStart } from "./group-days.ts";

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);

describe("days in groups", () => {
  it.each([
    ["2026-11-15", "week", "2026-11-09"],
    ["2026-11-09", "week", "2026-11-09"],
    ["2027-01-01", "week", "2026-12-28"],
    ["2026-11-15", "month", "2026-11-01"],
    ["2026-11-15", "day", "2026-11-15"],
  ] as const)("WEB-017 %s by %s is labelled %s", (date, by, label) => {
    expect(dateLabel(groupStart(day(date), by))).toBe(label);
  });

  it("WEB-008 omit nothing and count nothing twice", () => {
    const days = fc.array(fc.tuple(fc.nat(1000), fc.nat(1_000_000), fc.nat(100)), { maxLength: 100 });
    fc.assert(
      fc.property(fc.nat(20_000), days, fc.constantFrom("day", "week", "month"), (first, totals, by) => {
        const list = totals.map(([calls, cost, unpriced], index) => ({
          day: (first + index) * DAY_MS,
          calls,
          cost_microcents: cost,
          unpriced_calls: unpriced,
        }));
        const groups = groupDays(list, by);
        const sum = (amounts: number[]) => amounts.reduce((a, b) => a + b, 0);
        expect(sum(groups.map(g => g.call_count))).toBe(sum(list.map(d => d.calls)));
        expect(sum(groups.map(g => g.cost_microcents))).toBe(sum(list.map(d => d.cost_microcents)));
        expect(sum(groups.map(g => g.unpriced_calls))).toBe(sum(list.map(d => d.unpriced_calls)));
        expect(groups.map(g => g.date)).toEqual([...new Set(groups.map(g => g.date))].toSorted());
      }),
    );
  });
});
