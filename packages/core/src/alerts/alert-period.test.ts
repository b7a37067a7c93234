import { expect, it } from "bun:test";
import { isPeriodOver } from "./alert-period.ts";

it.each([
  ["2026-11-15", "2026-11-15T23:59:59.999Z", false],
  ["2026-11-15", "2026-11-16T00:00:00.000Z", true],
  ["2026-11-15:1700", "2026-11-16T00:00:00.000Z", true],
  ["2026-11", "2026-11-30T23:59:59.999Z", false],
  ["2026-11", "2026-12-01T00:00:00.000Z", true],
  ["2026-11-15T08", "2026-11-15T09:00:00.000Z", false],
])("the period %s is over at %s: %p", (period, at, over) => {
  expect(isPeriodOver(period, Date.parse(at))).toBe(over);
});
