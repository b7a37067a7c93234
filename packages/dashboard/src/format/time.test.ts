import { expect, it } from "bun:test";
import { dayOf, duration, fullTime, minuteTime, preciseTime, timeAgo, utcDayOf, utcMonthOf } from "./time.ts";

it.each([
  [0, "< 1 ms"],
  [850, "850 ms"],
  [2400, "2.4 s"],
  [185_000, "3 min 5 s"],
  [7_260_000, "2 h 1 min"],
  [10 * 86_400_000, "10 days"],
])("%d ms are shown as %s", (ms, text) => expect(duration(ms)).toBe(text));

it("DASH-005 an unknown time is a dash", () => {
  expect([duration(null), fullTime(undefined), timeAgo(null)]).toEqual(["–", "–", "–"]);
});

it("names the year of a moment that could be of another year", () => {
  const now = Date.parse("2027-01-05T12:00:00");
  const shown = (at: string) => [minuteTime, preciseTime, dayOf].map(format => format(at, now));
  expect(shown("2026-11-16T14:02:03")).toEqual(["16 Nov, 14:02", "16 Nov, 14:02:03", "16 Nov"]);
  expect(shown("2025-11-16T14:02:03")).toEqual(["16 Nov 2025", "16 Nov 2025, 14:02", "16 Nov 2025"]);
  expect(shown("2028-02-01T00:00:00")[0]).toBe("1 Feb 2028");
});

it("shows a UTC day as that day in every zone", () => {
  expect(utcDayOf("2026-11-16")).toBe("16 Nov");
  expect(utcMonthOf("2026-11-01")).toBe("November 2026");
});

it("says how long ago a moment was", () => {
  const now = Date.UTC(2026, 10, 16, 12);
  expect([30_000, 5 * 60_000, 3 * 3_600_000, 5 * 86_400_000].map(ms => timeAgo(now - ms, now))).toEqual([
    "just now",
    "5 min ago",
    "3 h ago",
    "5 days ago",
  ]);
});
