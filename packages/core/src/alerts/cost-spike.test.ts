import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { costSpike } from "./cost-spike.ts";
import { defaultAlertPreferences } from "./preferences.ts";

const AT = Date.parse("2026-11-15T08:30:00Z");
const preferences = defaultAlertPreferences;

describe("cost_spike", () => {
  const usual = [100, 100, 100, 100, 100, 100, 100];
  const day = (spentMicrocents: number, daysBefore: readonly number[] = usual) => ({
    day: AT,
    spentMicrocents,
    unpricedCalls: 0,
    daysBefore,
  });

  it.each([
    [149, false],
    [150, false],
    [151, true],
  ])("ALERT-008 with a usual 100 a day, %p fires: %p", (spent, fires) => {
    expect(costSpike(day(spent), preferences) !== null).toBe(fires);
  });

  it("ALERT-008 reports the day's spending, the mean and the increase", () => {
    expect(costSpike(day(160, [90, 100, 110]), preferences)).toEqual({
      ruleKey: "cost_spike",
      period: "2026-11-15",
      type: "cost_spike",
      severity: "warning",
      message: expect.stringContaining("60% above the mean of the last 3 days"),
      metadata: {
        current_spending: 160,
        unpriced_calls: 0,
        average_spending: 100,
        percentage_increase: 60,
        threshold_pct: 50,
        days_compared: 3,
        period_id: "2026-11-15",
      },
      agentId: null,
      notify: "preferences",
    });
  });

  it("ALERT-019 needs three full days, and a usual day that cost something", () => {
    expect(costSpike(day(1000, [1, 1]), preferences)).toBeNull();
    expect(costSpike(day(1000, [0, 0, 0, 0, 0, 0, 0]), preferences)).toBeNull();
    expect(costSpike(day(1000, [0, 0, 1]), preferences)).not.toBeNull();
  });

  it.each([
    ["below twice the threshold", 199, usual, "warning"],
    ["at twice the threshold", 200, usual, "critical"],
    ["an outlier of seven days", 152, [100, 101, 99, 100, 102, 98, 100], "critical"],
    ["within what seven days scatter", 160, [100, 180, 20, 60, 150, 90, 100], "warning"],
  ])("ALERT-014 %s", (_, spent, before, severity) => {
    expect(costSpike(day(spent, before), preferences)?.severity).toBe(severity as "warning");
  });

  it("MON-021 reports how many calls of the day have no known price", () => {
    const draft = costSpike({ ...day(160), unpricedCalls: 3 }, preferences);
    expect(draft?.message).toContain("is $0.000016 (+ 3 unpriced calls), 60% above");
    expect(draft?.metadata.unpriced_calls).toBe(3);
  });

  it("more spending never resolves it, at any threshold", () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 1e12 }), { minLength: 3, maxLength: 7 });
    const pct = fc.double({ min: 0, max: 100_000, noNaN: true });
    fc.assert(
      fc.property(
        amounts,
        pct,
        fc.integer({ min: 0, max: 1e12 }),
        fc.nat(1e9),
        (before, pct, spent, more) => {
          const asked = { ...preferences, cost_spike: { ...preferences.cost_spike, threshold_pct: pct } };
          if (costSpike(day(spent, before), asked) === null) return;
          expect(costSpike(day(spent + more, before), asked)).not.toBeNull();
        },
      ),
    );
  });
});
