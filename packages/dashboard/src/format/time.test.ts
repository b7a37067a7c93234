import { expect, it } from "bun:test";
import { duration, fullTime, timeAgo, utcDayOf, utcMonthOf } from "./time.ts";

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
