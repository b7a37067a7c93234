import { describe, expect, it } from "bun:test";
import { daysRemaining, isOverLimit, isOverWarning, percentageUsed } from "./percentage-used.ts";

const MAX = Number.MAX_SAFE_INTEGER;

describe("percentageUsed", () => {
  it.each([
    [0, 1000, 0],
    [1, 3, 33.33],
    [2, 3, 66.67],
    [1000, 1000, 100],
    [2500, 1000, 250],
    [MAX - 1, MAX, 100],
    [1, MAX, 0],
  ])("BUD-021 %d of %d is %d %%, with two decimals", (spent, limit, percentage) => {
    expect(percentageUsed(spent, limit)).toBe(percentage);
  });

  it.each([
    [799, 1000, 80, false],
    [800, 1000, 80, true],
    [0, 1000, 0, false],
    [1, 1000, 0, true],
    [999, 1000, 100, false],
    [1000, 1000, 100, true],
    [MAX - 1, MAX, 100, false],
  ])("ALERT-012 %d of %d with a warning at %d %%: %p", (spent, limit, pct, isOver) => {
    expect(isOverWarning(spent, limit, pct)).toBe(isOver);
  });

  it("reaches the limit at the limit, not before", () => {
    expect([isOverLimit(999, 1000), isOverLimit(1000, 1000)]).toEqual([false, true]);
  });

  it("BUD-021 rounds up the remaining days", () => {
    const midnight = Date.parse("2026-11-16T00:00:00Z");
    expect([1, 86_400_000, 86_400_001].map(before => daysRemaining(midnight, midnight - before))).toEqual([
      1, 1, 2,
    ]);
  });
});
