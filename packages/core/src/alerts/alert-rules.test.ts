import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { exactDollars } from "../money/exact-dollars.ts";
import { formatDollars } from "../money/format-dollars.ts";
import { isPeriodOver } from "./alert-period.ts";
import { alertRules } from "./alert-rules.ts";
import { alertTypes } from "./alert-types.ts";
import { type BudgetObservation, budgetLimit, budgetWarning } from "./budget-line.ts";
import { costSpike } from "./cost-spike.ts";
import { errorRate } from "./error-rate.ts";
import { idleAgent } from "./idle-agent.ts";
import { plainName } from "./plain-name.ts";
import { type AlertPreferences, defaultAlertPreferences } from "./preferences.ts";
import { type ThresholdMetric, type ThresholdObservation, threshold } from "./threshold.ts";
import { usageSpike } from "./usage-spike.ts";
import { withPausedAgents } from "./with-paused-agents.ts";

const AT = Date.parse("2026-11-15T08:30:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const preferences = defaultAlertPreferences;
const allOff = Object.fromEntries(
  Object.entries(preferences).map(([name, value]) => [
    name,
    value !== null && typeof value === "object" ? { ...value, enabled: false } : value,
  ]),
) as AlertPreferences;

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

describe("idle_agent", () => {
  const agent = (idleMs: number, isExcepted = false, learnedMs = idleMs) => ({
    agentId: "a1",
    agentKey: "writer",
    keyId: null,
    customerId: null,
    lastCallAt: AT - idleMs,
    learnedAt: AT - learnedMs,
    isExcepted,
    now: AT,
  });

  it.each([
    [24 * HOUR - 1, false],
    [24 * HOUR, true],
    [24 * HOUR + 1, true],
  ])("ALERT-011 after %p ms without a call it fires: %p", (idle, fires) => {
    expect(idleAgent(agent(idle), preferences) !== null).toBe(fires);
  });

  it.each([
    [24, 10 * MINUTE - 1, false],
    [24, 10 * MINUTE, true],
    // The grace period never exceeds the threshold.
    [0.01, 36_000, true],
  ])("ALERT-011 above %p hours, first seen %p ms ago, it fires: %p", (threshold_hours, learnedMs, fires) => {
    const strict = { ...preferences, idle_agent: { ...preferences.idle_agent, threshold_hours } };
    expect(idleAgent(agent(300 * HOUR, false, learnedMs), strict) !== null).toBe(fires);
  });

  it("has severity info, fires once per silence, and never for agents that are not expected to call", () => {
    expect(idleAgent(agent(25 * HOUR), preferences)).toMatchObject({
      ruleKey: "idle_agent:a1",
      period: "2026-11-14T07:30:00.000Z",
      severity: "info",
      agentId: "a1",
      message: "The agent writer has not called since 2026-11-14 07:30:00 UTC",
      metadata: { agent_key: "writer", idle_hours: 25, threshold_hours: 24 },
    });
    expect(idleAgent(agent(25 * HOUR, true), preferences)).toBeNull();
  });
});

describe("budget_warning", () => {
  const budget = (spentMicrocents: number): BudgetObservation => ({
    id: "b1",
    agentId: null,
    agentKey: null,
    keyId: null,
    customerId: null,
    period: "daily",
    periodId: "2026-11-15",
    since: 7,
    limitMicrocents: 1000,
    warningPct: 80,
    enforcementMode: "hard_block",
    spentMicrocents,
    unpricedCalls: 0,
  });

  it.each([
    [{}, "The organization's daily budget", {}],
    [{ agentKey: "writer" }, "The daily budget of the agent writer", { agent_key: "writer" }],
    [{ keyId: "k1" }, "The daily budget of the API key k1", { key_id: "k1" }],
    [{ customerId: "c\u202e1" }, "The daily budget of the customer c1", { customer_id: "c\u202e1" }],
  ])("BUD-024 ALERT-012 names whose budget it is: %j", (owner, name, metadata) => {
    const draft = budgetLimit({ ...budget(1000), ...owner }, preferences);
    expect(draft?.message).toStartWith(`${name} has reached its limit`);
    expect(draft?.metadata).toMatchObject(metadata);
  });

  it.each([
    [799, false, false],
    [800, true, false],
    [801, true, false],
    [999, true, false],
    [1000, true, true],
    [1001, true, true],
  ])("ALERT-012 at %p of 1000: warning %p, limit %p", (spent, warns, limits) => {
    expect(budgetWarning(budget(spent), preferences) !== null).toBe(warns);
    expect(budgetLimit(budget(spent), preferences) !== null).toBe(limits);
  });

  it("ALERT-012 reports each threshold separately, the limit as critical", () => {
    expect(budgetLimit(budget(1000), preferences)).toMatchObject({
      ruleKey: "budget:b1:limit",
      period: "2026-11-15:7:1000",
      severity: "critical",
      metadata: { budget_id: "b1", percentage_used: 100, kind: "limit" },
    });
    expect(budgetWarning(budget(800), preferences)).toMatchObject({
      ruleKey: "budget:b1:warning",
      severity: "warning",
      metadata: { budget_id: "b1", percentage_used: 80, kind: "warning" },
    });
  });

  it("MON-021 reports how many calls of the budget have no known price", () => {
    const draft = budgetLimit({ ...budget(1240), unpricedCalls: 1 }, preferences);
    expect(draft?.message).toEndWith("has reached its limit (124% used) (+ 1 unpriced call)");
    expect(draft?.metadata.unpriced_calls).toBe(1);
  });

  it.each([
    [null, "The organization's daily budget has reached its limit (124% used)"],
    ["bud", "The daily budget of the agent bud has reached its limit (124% used)"],
  ])("ALERT-012 names the budget's owner: %p", (agentKey, message) => {
    const alert = budgetLimit({ ...budget(1240), agentKey }, preferences);
    expect(alert?.message).toBe(message);
    expect(alert?.metadata.agent_key ?? null).toBe(agentKey);
  });
});

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
      threshold(observed("daily_cost", 1, 100_000, { action }), allOff);
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

it("ALERT-014 reports nothing of a disabled type", () => {
  const far = { calls: 1000, errors: 1000, usual: { calls: 24, hours: 24 } };
  const drafts = [
    ...alertRules.day.map(rule =>
      rule({ day: AT, spentMicrocents: 1e9, unpricedCalls: 0, daysBefore: [1, 1, 1] }, allOff),
    ),
    ...alertRules.lastHour.map(rule => rule({ at: AT, ...far }, allOff)),
    ...alertRules.agent.map(rule =>
      rule({ agentId: "a", agentKey: "a", lastCallAt: 0, learnedAt: 0, isExcepted: false, now: AT }, allOff),
    ),
    ...alertRules.budget.map(rule =>
      rule(
        {
          id: "b",
          agentId: null,
          agentKey: null,
          keyId: null,
          customerId: null,
          period: "daily",
          periodId: "2026-11-15",
          since: 0,
          limitMicrocents: 1,
          warningPct: 1,
          enforcementMode: "alert_only",
          spentMicrocents: 9,
          unpricedCalls: 0,
        },
        allOff,
      ),
    ),
  ];
  expect(drafts).toHaveLength(alertTypes.length + 1);
  expect(drafts.every(draft => draft === null)).toBe(true);
});

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

it.each([
  [0, "$0.00"],
  [123, "$0.0000123"],
  [99_999, "$0.0099999"],
  [100_000, "$0.01"],
  [12_345_000, "$1.23"],
  [12_355_000, "$1.24"],
  [-12_355_000, "-$1.24"],
  [-123, "-$0.0000123"],
])("%p microcents are %s", (amount, text) => expect(formatDollars(amount)).toBe(text));

it.each([
  [0, "$0.00"],
  [740, "$0.000074"],
  [100_000, "$0.01"],
  [12_345_000, "$1.2345"],
  [12_345_678_901, "$1234.5678901"],
  [-15_000_000, "-$1.50"],
])("%p microcents are exactly %s", (amount, text) => expect(exactDollars(amount)).toBe(text));

it("a user's name cannot change how a sentence reads, nor hide characters in it", () => {
  expect(plainName("wri\u202eter\n\u0007")).toBe("writer");
  expect(plainName("a\nb")).toBe("a b");
  expect(plainName("wri\u115fter\u3164")).toBe("writer");
  expect(plainName("x".repeat(500))).toHaveLength(80);
});
