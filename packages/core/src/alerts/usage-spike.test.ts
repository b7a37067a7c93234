import { describe, expect, it } from "bun:test";
import { defaultAlertPreferences } from "./preferences.ts";
import { usageSpike } from "./usage-spike.ts";

const AT = Date.parse("2026-11-15T08:30:00Z");
const preferences = defaultAlertPreferences;

describe("usage_spike", () => {
  const hour = (calls: number, usualCalls: number, hours: number) => ({
    at: AT,
    calls,
    errors: 0,
    usual: { calls: usualCalls, hours },
  });

  it.each([
    [29, 1680, 168, false],
    [30, 1680, 168, false],
    [31, 1680, 168, true],
    [31, 230, 23, false],
    [31, 240, 24, true],
    [31, 0, 168, false],
    // A single call is not a spike, however far above the usual rate.
    [1, 1, 168, false],
    [19, 168, 168, false],
    [20, 168, 168, true],
  ])("ALERT-010 %p calls after %p in %p hours fire: %p", (calls, usual, hours, fires) => {
    expect(usageSpike(hour(calls, usual, hours), preferences) !== null).toBe(fires);
  });

  it.each([
    [31, 1680, "warning"],
    [60, 1680, "critical"],
    // With a usual hundred calls, 36 % of the hours at three times that rate reach 310.
    [310, 16_800, "warning"],
    [350, 16_800, "critical"],
  ])("ALERT-014 %p calls after %p in a week are %s", (calls, usual, severity) => {
    expect(usageSpike(hour(calls, usual, 168), preferences)?.severity).toBe(severity as "warning");
  });

  it("names the hour, because the alert may be read much later", () => {
    expect(usageSpike(hour(31, 1680, 168), preferences)?.message).toBe(
      "31 calls in the hour up to 2026-11-15 08:30:00 UTC, 3.1 times the usual 10",
    );
  });
});
