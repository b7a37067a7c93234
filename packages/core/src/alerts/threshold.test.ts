import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { allAlertsOff } from "../../../../test/support/all-alerts-off.ts";
import { defaultAlertPreferences } from "./preferences.ts";
import { type ThresholdMetric, type ThresholdObservation, threshold } from "./threshold.ts";
import { withPausedAgents } from "./with-paused-agents.ts";

const AT = Date.parse("2026-11-15T08:30:00Z");
const preferences = defaultAlertPreferences;

describe("thresholds", () => {
  const observed = (
    metric: ThresholdMetric,
    line: number,
    value: number,
    more: Partial<ThresholdObservation["threshold"]> = {},
    calls = 20,
  ): ThresholdObservation => ({
    threshold: { id: "t1", agentId: null, agentKey: null, metric, value: line, action: "email", ...more },
    at: AT,
    value,
    calls,
    unpricedCalls: 0,
  });

  it("MON-021 reports how many calls of the day or month have no known price", () => {
    for (const metric of ["daily_cost", "monthly_cost"] as const) {
      const draft = threshold({ ...observed(metric, 50, 5_000_000), unpricedCalls: 2 }, preferences);
      expect(draft?.message).toStartWith("$0.50 (+ 2 unpriced calls) was spent");
      expect(draft?.metadata.unpriced_calls).toBe(2);
    }
  });

  it.each([
    ["daily_cost", 50, 4_999_999, false],
    ["daily_cost", 50, 5_000_000, true],
    ["daily_cost", 50, 5_000_001, true],
    ["daily_cost", 0.1, 9_999, false],
    ["daily_cost", 0.1, 10_000, true],
    ["monthly_cost", 1, 99_999, false],
    ["monthly_cost", 1, 100_000, true],
    ["error_rate", 0.25, 0.24, false],
    ["error_rate", 0.25, 0.25, true],
    ["error_rate", 1, 1, true],
    ["latency_p99", 900, 899, false],
    ["latency_p99", 900, 900, true],
    ["latency_p99", 900, 901, true],
  ] as const)("ALERT-018 %s of %p with %p fires: %p", (metric, line, value, fires) => {
    expect(threshold(observed(metric, line, value), preferences) !== null).toBe(fires);
  });

  it.each(["error_rate", "latency_p99"] as const)("ALERT-018 %s needs twenty calls", metric => {
    expect(threshold(observed(metric, 0.5, 1, {}, 19), preferences)).toBeNull();
    expect(threshold(observed(metric, 0.5, 1, {}, 20), preferences)).not.toBeNull();
  });

  it.each([
    ["daily_cost", "cost_spike", "2026-11-15"],
    ["monthly_cost", "cost_spike", "2026-11"],
    ["error_rate", "error_rate", "2026-11-15T08"],
    ["latency_p99", "error_rate", "2026-11-15T08"],
  ] as const)("ALERT-020 %s is reported as %s of %s", (metric, type, period) => {
    expect(threshold(observed(metric, 1, 100_000), preferences)).toMatchObject({
      ruleKey: "threshold:t1",
      type,
      period: `${period}:1`,
      metadata: { kind: metric, threshold_id: "t1", threshold_value: 1 },
    });
  });

  it("ALERT-018 uses its own channel, a pause those of the preferences, even if the type is disabled", () => {
    const over = (action: "email" | "webhook" | "pause_agent") =>
      threshold(observed("daily_cost", 1, 100_000, { action }), allAlertsOff);
    expect(over("email")?.notify).toEqual(["email"]);
    expect(over("webhook")?.notify).toEqual(["webhook"]);
    expect(over("pause_agent")).toMatchObject({
      notify: preferences.cost_spike.channels,
      severity: "critical",
    });
  });

  it("ALERT-019 shows the value in the threshold's own unit", () => {
    const shown = (metric: ThresholdMetric, value: number) =>
      threshold(observed(metric, 0.0001, value), preferences)?.metadata.value;
    expect(shown("daily_cost", 123_456)).toBe(1.23456);
    expect(shown("error_rate", 1 / 3)).toBe(0.3333);
    expect(shown("latency_p99", 1234)).toBe(1234);
  });

  it("ALERT-018 a measured cost is never shown below the threshold that it has reached", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), fc.nat(1e6), (line, more) => {
        const value = threshold(observed("daily_cost", line / 100_000, line + more), preferences)?.metadata
          .value;
        expect(value).toBe((line + more) / 100_000);
        expect(value).toBeGreaterThanOrEqual(line / 100_000);
      }),
    );
  });

  it.each([
    ["daily_cost", 740, "$0.000074 was spent on 2026-11-15", " by the agent mine"],
    ["monthly_cost", 20_050_001, "$2.0050001 was spent in 2026-11", " by the agent mine"],
  ] as const)("ALERT-015 of %s names the exact amount and its owner", (metric, value, sentence, ofAgent) => {
    const message = (agentKey: string | null) =>
      threshold(observed(metric, 0.0074, value, { agentKey }), preferences)?.message;
    expect(message(null)).toBe(sentence);
    expect(message("mine")).toBe(sentence + ofAgent);
  });

  it.each([
    ["error_rate", null, "40% of the 20 calls in the hour up to 2026-11-15 08:30:00 UTC failed"],
    [
      "error_rate",
      "mine",
      "40% of the agent mine's 20 calls in the hour up to 2026-11-15 08:30:00 UTC failed",
    ],
    [
      "latency_p99",
      null,
      "The slowest 1% of the 20 calls in the hour up to 2026-11-15 08:30:00 UTC took 0.4 ms or longer",
    ],
    [
      "latency_p99",
      "mine",
      "The slowest 1% of the agent mine's 20 calls in the hour up to 2026-11-15 08:30:00 UTC took 0.4 ms or longer",
    ],
  ] as const)("ALERT-015 of %s and the agent %p names what was measured", (metric, agentKey, message) => {
    expect(threshold(observed(metric, 0.1, 0.4, { agentKey }), preferences)).toMatchObject({
      message,
      metadata: agentKey === null ? {} : { agent_key: agentKey },
    });
  });

  it("ALERT-017 names the paused agents and how to resume them, and lists fifty of many", () => {
    const draft = threshold(observed("daily_cost", 1, 100_000, { action: "pause_agent" }), preferences);
    if (draft === null) throw new Error("it is over its line");
    const agents = Array.from({ length: 60 }, (_, index) => ({ id: `id${index}`, agentKey: `a${index}` }));
    expect(withPausedAgents(draft, agents.slice(0, 1))).toEqual({
      ...draft,
      message:
        "$0.01 was spent on 2026-11-15. The agent a0 was paused. POST /api/agents/id0/resume resumes it",
      metadata: { ...draft.metadata, paused_agents: ["a0"], paused_agents_count: 1 },
    });
    const many = withPausedAgents(draft, agents);
    expect(many.message).toBe(
      "$0.01 was spent on 2026-11-15. 60 agents were paused. POST /api/agents/:id/resume lets each of them call again",
    );
    expect(many.metadata).toMatchObject({ paused_agents_count: 60 });
    expect(many.metadata.paused_agents).toHaveLength(50);
    expect(withPausedAgents(draft, []).message).toBe(draft.message);
  });
});
