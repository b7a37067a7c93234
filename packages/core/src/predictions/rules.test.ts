import { describe, expect, it } from "bun:test";
import {
  FLEET_NOW,
  NO_LIMITS,
  organizationOf,
  type Rates,
  seeded,
  simulateAgent,
} from "../../../../test/support/simulations/simulated-fleet.ts";
import { DAY_MS, HOUR_MS } from "../time/durations.ts";
import { startOf } from "../time/start-of-day.ts";
import { concludeFleet } from "./conclude-fleet.ts";
import { examineAgent, examineOrganization } from "./examine-fleet.ts";
import type { FleetLimits, ThresholdRule } from "./fleet-limits.ts";
import type { Finding } from "./prediction.ts";
import { shownConfidence, shownP, shownValue } from "./shown-numbers.ts";
import type { UsageSeries } from "./usage-series.ts";

const TODAY = startOf(FLEET_NOW, DAY_MS);
const quiet: Rates = { calls: () => 60, errors: () => 0.02, latencyMs: () => 800, microcents: () => 40_000 };
const hoursIn = (at: number) => Math.max(0, (at - (FLEET_NOW - 24 * HOUR_MS)) / HOUR_MS);
const daysIn = (at: number) => Math.max(0, Math.floor((at - (TODAY - 14 * DAY_MS)) / DAY_MS));

const agentOf = (rates: Rates): UsageSeries => simulateAgent("a", rates, seeded(11));

/** Only these rules, no other limits. */
function limitsOf(...rules: ThresholdRule[]): FleetLimits {
  return { ...NO_LIMITS, errorRate: null, costSpikePct: null, rules };
}

function findingsOf(findings: readonly Finding[]) {
  return concludeFleet(findings, FLEET_NOW).predictions;
}

describe("a rule that a user set", () => {
  it("for the organization's error rate applies to all agents together", () => {
    const rates = { ...quiet, calls: () => 300, errors: (at: number) => 0.02 + 0.005 * hoursIn(at) };
    const limits = limitsOf({ id: "r", agentId: null, metric: "error_rate", value: 0.3 });
    const [found] = findingsOf(examineOrganization(organizationOf([agentOf(rates)]), limits, FLEET_NOW));
    expect(found).toMatchObject({ type: "error_rate_breach", agentId: null, thresholdValue: 0.3 });
    // The same rule does not apply to any single agent.
    expect(examineAgent(agentOf(rates), limits, FLEET_NOW).map(({ type }) => type)).toEqual([
      "latency_degradation",
    ]);
  });

  it("for the 99th percentile of latency applies to that, not to the mean", () => {
    const rule: ThresholdRule = { id: "r", agentId: "a", metric: "latency_p99", value: 9000 };
    const first = startOf(FLEET_NOW, HOUR_MS) - 24 * HOUR_MS;
    const slowest = Array.from({ length: 24 }, (_, hour) => ({
      at: first + hour * HOUR_MS,
      calls: 60,
      p99_ms: 3000 + 150 * hour,
    }));
    const [found] = findingsOf(examineAgent({ ...agentOf(quiet), slowest }, limitsOf(rule), FLEET_NOW));
    expect(found).toMatchObject({ type: "latency_degradation", thresholdValue: 9000 });
    expect(found?.observation.slope).toBeCloseTo(150, 6);
    expect(found?.message).toContain("99th percentile");
  });

  it("for the cost of a day predicts a breach for a rising cost, but not for a steady one", () => {
    const rule: ThresholdRule = { id: "r", agentId: "a", metric: "daily_cost", value: 200_000_000 };
    const rising = { ...quiet, microcents: (at: number) => 40_000 + 4000 * daysIn(at) };
    const [found] = findingsOf(examineAgent(agentOf(rising), limitsOf(rule), FLEET_NOW));
    expect(found).toMatchObject({
      type: "cost_overrun",
      thresholdValue: 200_000_000,
      key: "cost_overrun:a:r",
    });
    expect(findingsOf(examineAgent(agentOf(quiet), limitsOf(rule), FLEET_NOW))).toEqual([]);
  });

  it("for the cost of a month is predicted from its burn rate", () => {
    // 57.6 million a day: 1.24 billion by now, 1.73 billion at the end.
    const rule = (value: number): ThresholdRule => ({ id: "r", agentId: "a", metric: "monthly_cost", value });
    const agent = agentOf(quiet);
    const [found] = findingsOf(examineAgent(agent, limitsOf(rule(1_500_000_000)), FLEET_NOW));
    expect(found).toMatchObject({ type: "cost_overrun", severity: "warning" });
    expect(findingsOf(examineAgent(agent, limitsOf(rule(2_000_000_000)), FLEET_NOW))).toEqual([]);
    // Already over it: alerts report that.
    expect(findingsOf(examineAgent(agent, limitsOf(rule(1_000_000_000)), FLEET_NOW))).toEqual([]);
  });

  it("is distinct from the preference and from other rules; rules that differ only in their action share one threshold", () => {
    const rule = (id: string, value: number): ThresholdRule => ({
      id,
      agentId: "a",
      metric: "daily_cost",
      value,
    });
    const rising = agentOf({ ...quiet, microcents: (at: number) => 40_000 + 4000 * daysIn(at) });
    const rules = [rule("r1", 200_000_000), rule("r2", 200_000_000), rule("r3", 210_000_000)];
    const found = findingsOf(examineAgent(rising, { ...limitsOf(...rules), costSpikePct: 50 }, FLEET_NOW));
    expect(found.map(({ key }) => key)).toEqual([
      "cost_overrun:a:spike",
      "cost_overrun:a:r1",
      "cost_overrun:a:r3",
    ]);
    const [spike, first, second] = found.map(({ message }) => message);
    expect(spike).toContain("50% above the mean day of the last week (cost_spike of the preferences)");
    expect(first).toContain("$20.00, the line of the daily_cost rule,");
    expect(second).toContain("$21.00, the line of the daily_cost rule,");
  });

  it("reports data missing for several thresholds once, and names the budget", () => {
    const course = {
      agentId: "a",
      agentKey: "bud",
      keyId: null,
      customerId: null,
      limitMicrocents: 10,
      spentMicrocents: 1,
      unpricedCalls: 0,
    } as const;
    const times = { countsFrom: FLEET_NOW, endsAtMs: FLEET_NOW + DAY_MS };
    const limits: FleetLimits = {
      ...limitsOf({ id: "r", agentId: "a", metric: "daily_cost", value: 1 }),
      costSpikePct: 50,
      budgets: [
        { id: "b1", period: "daily", ...course, ...times },
        { id: "b2", period: "monthly", ...course, ...times },
      ],
    };
    const { insufficient } = concludeFleet(
      examineAgent({ agentId: "a", hours: [], days: [] }, limits, FLEET_NOW),
      FLEET_NOW,
    );
    expect(insufficient.map(({ type, reason }) => `${type}: ${reason}`)).toEqual([
      "latency_degradation: needs 8 of the last 24 hours with at least 20 calls, has 0",
      "cost_overrun: needs 8 whole days since the first call, has 0",
      "budget_exhaustion: The daily budget of the agent bud needs 6 whole hours of its period, has 0",
      "budget_exhaustion: The monthly budget of the agent bud needs 5 whole days of its period, has 0",
    ]);
  });
});

describe("MON-021 a prediction of a cost says how many calls of unknown cost it leaves out", () => {
  const unpriced = (series: UsageSeries): UsageSeries => ({
    ...series,
    days: series.days.map(day => ({ ...day, unpriced_calls: 2 })),
  });
  const messageOf = (rates: Rates, limits: FleetLimits) =>
    findingsOf(examineAgent(unpriced(agentOf(rates)), limits, FLEET_NOW)).map(({ message }) => message);

  it("of a day: in the days of its trend", () => {
    const rising = { ...quiet, microcents: (at: number) => 40_000 + 4000 * daysIn(at) };
    const rule: ThresholdRule = { id: "r", agentId: "a", metric: "daily_cost", value: 200_000_000 };
    expect(messageOf(rising, limitsOf(rule))).toEqual([
      expect.stringContaining(
        " more each day, not counting 28 unpriced calls; it is expected to reach $20.00",
      ),
    ]);
  });

  it("of a month: since its start", () => {
    const rule: ThresholdRule = { id: "r", agentId: "a", metric: "monthly_cost", value: 1_500_000_000 };
    expect(messageOf(quiet, limitsOf(rule))).toEqual([
      expect.stringContaining(" a day, not counting 44 unpriced calls; it is expected to reach $150.00"),
    ]);
  });

  it("of a budget: those that count toward it", () => {
    const budget = {
      id: "b",
      agentId: "a",
      agentKey: "bud",
      keyId: null,
      customerId: null,
      period: "monthly",
      limitMicrocents: 1_500_000_000,
      spentMicrocents: 1_240_000_000,
      unpricedCalls: 1,
      countsFrom: Date.parse("2026-11-01T00:00:00Z"),
      endsAtMs: Date.parse("2026-12-01T00:00:00Z"),
    } as const;
    expect(messageOf(quiet, { ...limitsOf(), budgets: [budget] })).toEqual([
      expect.stringContaining(" a day, not counting 1 unpriced call; it is expected to be used up at "),
    ]);
  });
});

it.each([
  ["error_rate_breach", 0.123456789, 0.1235],
  ["latency_degradation", 1234.56789, 1234.57],
  ["cost_overrun", 123.4, 123],
  ["rate_limit_risk", 99.6, 100],
] as const)("of %s, %p is shown as %p", (type, value, shown) => expect(shownValue(type, value)).toBe(shown));

it("nothing is rounded up to certain, or down to impossible", () => {
  expect(shownConfidence(0.99999)).toBe(0.9999);
  expect(shownP(1.23456e-12)).toBe(1.235e-12);
});
