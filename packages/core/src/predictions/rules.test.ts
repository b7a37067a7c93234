import { describe, expect, it } from "bun:test";
import {
  FLEET_NOW,
  NO_LIMITS,
  organizationOf,
  type Rates,
  seeded,
  simulateAgent,
} from "../../../../test/support/simulated-fleet.ts";
import { concludeFleet } from "./conclude-fleet.ts";
import { examineAgent, examineOrganization } from "./examine-fleet.ts";
import type { FleetLimits, ThresholdRule } from "./fleet-limits.ts";
import type { Finding } from "./prediction.ts";
import { DAY_MS, HOUR_MS, startOf, type UsageSeries } from "./usage-series.ts";

const TODAY = startOf(FLEET_NOW, DAY_MS);
const quiet: Rates = { calls: () => 60, errors: () => 0.02, latencyMs: () => 800, microcents: () => 40_000 };
const hoursIn = (at: number) => Math.max(0, (at - (FLEET_NOW - 24 * HOUR_MS)) / HOUR_MS);
const daysIn = (at: number) => Math.max(0, Math.floor((at - (TODAY - 14 * DAY_MS)) / DAY_MS));

const agentOf = (rates: Rates): UsageSeries => simulateAgent("a", rates, seeded(11));

/** Nothing but the rules. */
function limitsOf(...rules: ThresholdRule[]): FleetLimits {
  return { ...NO_LIMITS, errorRate: null, costSpikePct: null, rules };
}

function told(findings: readonly Finding[]) {
  return concludeFleet(findings, FLEET_NOW).predictions;
}

describe("a rule that somebody set", () => {
  it("for the organization's error rate is held against all agents together", () => {
    const rates = { ...quiet, calls: () => 300, errors: (at: number) => 0.02 + 0.005 * hoursIn(at) };
    const limits = limitsOf({ id: "r", agentId: null, metric: "error_rate", value: 0.3 });
    const [found] = told(examineOrganization(organizationOf([agentOf(rates)]), limits, FLEET_NOW));
    expect(found).toMatchObject({ type: "error_rate_breach", agentId: null, thresholdValue: 0.3 });
    // The same rule is no agent's.
    expect(examineAgent(agentOf(rates), limits, FLEET_NOW).map(({ type }) => type)).toEqual([
      "latency_degradation",
    ]);
  });

  it("for the 99th percentile of latency is held against that, not against the mean", () => {
    const rule: ThresholdRule = { id: "r", agentId: "a", metric: "latency_p99", value: 9000 };
    const first = startOf(FLEET_NOW, HOUR_MS) - 24 * HOUR_MS;
    const slowest = Array.from({ length: 24 }, (_, hour) => ({
      at: first + hour * HOUR_MS,
      calls: 60,
      p99_ms: 3000 + 150 * hour,
    }));
    const [found] = told(examineAgent({ ...agentOf(quiet), slowest }, limitsOf(rule), FLEET_NOW));
    expect(found).toMatchObject({ type: "latency_degradation", thresholdValue: 9000 });
    expect(found?.observation.slope).toBeCloseTo(150, 6);
    expect(found?.message).toContain("99th percentile");
  });

  it("for the cost of a day is met by a rising cost, and not by a steady one", () => {
    const rule: ThresholdRule = { id: "r", agentId: "a", metric: "daily_cost", value: 200_000_000 };
    const rising = { ...quiet, microcents: (at: number) => 40_000 + 4000 * daysIn(at) };
    const [found] = told(examineAgent(agentOf(rising), limitsOf(rule), FLEET_NOW));
    expect(found).toMatchObject({
      type: "cost_overrun",
      thresholdValue: 200_000_000,
      key: "cost_overrun:a:r",
    });
    expect(told(examineAgent(agentOf(quiet), limitsOf(rule), FLEET_NOW))).toEqual([]);
  });

  it("for the cost of a month is met by its burn", () => {
    // 57.6 million a day: 1.24 billion by now, 1.73 at the end.
    const rule = (value: number): ThresholdRule => ({ id: "r", agentId: "a", metric: "monthly_cost", value });
    const agent = agentOf(quiet);
    const [found] = told(examineAgent(agent, limitsOf(rule(1_500_000_000)), FLEET_NOW));
    expect(found).toMatchObject({ type: "cost_overrun", severity: "warning" });
    expect(told(examineAgent(agent, limitsOf(rule(2_000_000_000)), FLEET_NOW))).toEqual([]);
    // Over it already: alerts tell of that.
    expect(told(examineAgent(agent, limitsOf(rule(1_000_000_000)), FLEET_NOW))).toEqual([]);
  });
});
