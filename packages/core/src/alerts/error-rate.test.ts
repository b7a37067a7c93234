import { describe, expect, it } from "bun:test";
import { errorRate } from "./error-rate.ts";
import { defaultAlertPreferences } from "./preferences.ts";

const AT = Date.parse("2026-11-15T08:30:00Z");
const preferences = defaultAlertPreferences;

describe("error_rate", () => {
  const hour = (errors: number, calls: number) => ({ at: AT, calls, errors, usual: { calls: 0, hours: 0 } });

  it.each([
    [9, 100, false],
    [10, 100, false],
    [11, 100, true],
    [19, 19, false],
    [3, 20, true],
  ])("ALERT-009 %p errors of %p calls fire: %p", (errors, calls, fires) => {
    expect(errorRate(hour(errors, calls), preferences) !== null).toBe(fires);
  });

  it.each([
    [3, 20, "warning"],
    [4, 20, "critical"],
    [12, 100, "warning"],
    [20, 100, "critical"],
    [115, 1000, "warning"],
    // 13 % of a thousand: the lower bound is above 10 %.
    [130, 1000, "critical"],
  ])("ALERT-014 %p errors of %p calls are %s", (errors, calls, severity) => {
    expect(errorRate(hour(errors, calls), preferences)?.severity).toBe(severity as "warning");
  });

  it("belongs to its hour, and reports what it counted", () => {
    expect(errorRate(hour(11, 100), preferences)).toMatchObject({
      ruleKey: "error_rate",
      period: "2026-11-15T08",
      message: "11 of the 100 calls in the hour up to 2026-11-15 08:30:00 UTC failed (11%)",
      metadata: { error_rate_pct: 11, threshold_pct: 10, calls: 100, errors: 11, window_minutes: 60 },
    });
  });
});
