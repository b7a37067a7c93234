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
import { type Conclusion, concludeFleet } from "./conclude-fleet.ts";
import { examineAgent, examineOrganization } from "./examine-fleet.ts";
import type { BudgetCourse, FleetLimits } from "./fleet-limits.ts";
import type { PredictionType } from "./prediction.ts";
import { recommendedActions } from "./recommended-actions.ts";

const SEEDS = 20;
const TODAY = startOf(FLEET_NOW, DAY_MS);

const quiet: Rates = { calls: () => 60, errors: () => 0.02, latencyMs: () => 800, microcents: () => 40_000 };

/** Hours of the last 24 that have passed at `at`; 0 before. */
const hoursIn = (at: number) => Math.max(0, (at - (FLEET_NOW - 24 * HOUR_MS)) / HOUR_MS);
/** Days of the last 14. */
const daysIn = (at: number) => Math.max(0, Math.floor((at - (TODAY - 14 * DAY_MS)) / DAY_MS));

/** The predictions for seven quiet agents and one with `rates`. */
function look(rates: Rates, limits: FleetLimits, seed: number): Conclusion {
  const random = seeded(seed);
  const agents = Array.from({ length: 8 }, (_, index) =>
    simulateAgent(`agent-${index}`, index === 3 ? rates : quiet, random),
  );
  return concludeFleet(
    [
      ...agents.flatMap(agent => examineAgent(agent, limits, FLEET_NOW)),
      ...examineOrganization(organizationOf(agents), limits, FLEET_NOW),
    ],
    FLEET_NOW,
  );
}

function budget(limit: number, spent: number): BudgetCourse {
  return {
    id: "b",
    agentId: "agent-3",
    agentKey: "bud",
    keyId: null,
    customerId: null,
    period: "daily",
    limitMicrocents: limit,
    spentMicrocents: spent,
    unpricedCalls: 0,
    countsFrom: TODAY,
    endsAtMs: TODAY + DAY_MS,
  };
}

const PLANTED: readonly {
  readonly type: PredictionType;
  readonly agentId: string | null;
  readonly rates: Rates;
  readonly limits: FleetLimits;
}[] = [
  {
    type: "error_rate_breach",
    agentId: "agent-3",
    rates: { ...quiet, calls: () => 200, errors: at => 0.02 + 0.006 * hoursIn(at) },
    limits: { ...NO_LIMITS, errorRate: 0.25 },
  },
  {
    type: "latency_degradation",
    agentId: "agent-3",
    rates: { ...quiet, latencyMs: at => 800 + 25 * hoursIn(at) },
    limits: NO_LIMITS,
  },
  {
    type: "cost_overrun",
    agentId: "agent-3",
    rates: { ...quiet, microcents: at => 40_000 + 4000 * daysIn(at) },
    limits: NO_LIMITS,
  },
  {
    type: "budget_exhaustion",
    agentId: "agent-3",
    rates: quiet,
    // 12.5 of 24 hours at 2.4 million an hour are 30 million; 40 million last until about 16:30.
    limits: { ...NO_LIMITS, budgets: [budget(40_000_000, 30_000_000)] },
  },
  {
    type: "rate_limit_risk",
    agentId: null,
    rates: quiet,
    // 21 days at 8 × 24 × 60 calls are 242,000; 260,000 last two more days.
    limits: { ...NO_LIMITS, monthlyCalls: 260_000 },
  },
  {
    type: "rate_limit_risk",
    agentId: null,
    rates: { ...quiet, calls: at => 60 + 12 * daysIn(at) },
    limits: { ...NO_LIMITS, burstPerMinute: 20 },
  },
];

describe("a planted trend", () => {
  it.each(PLANTED)("is found despite random noise: $type of $agentId", ({ type, agentId, rates, limits }) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { predictions } = look(rates, limits, seed);
      const found = predictions.find(one => one.type === type && one.agentId === agentId);
      expect(found, `seed ${seed}`).toBeDefined();
      expect(found?.confidence).toBeGreaterThanOrEqual(0.95);
      expect(found?.confidence).toBeLessThan(1);
      expect(found?.breachAt).toBeGreaterThanOrEqual(FLEET_NOW);
      expect(found?.thresholdValue).toBeGreaterThan(0);
      expect(found?.adjustedP).toBeGreaterThanOrEqual(found?.p ?? Number.NaN);
      expect(recommendedActions[type].length).toBeGreaterThan(0);
      // No prediction for any other agent.
      expect(predictions.filter(one => one.agentId !== "agent-3" && one.agentId !== null)).toEqual([]);
    }
  });

  it("names the time at which its line meets the threshold", () => {
    const rates = { ...quiet, calls: () => 2000, errors: (at: number) => 0.02 + 0.005 * hoursIn(at) };
    const { predictions } = look(rates, { ...NO_LIMITS, errorRate: 0.2 }, 7);
    const [found] = predictions.filter(({ type }) => type === "error_rate_breach");
    // 0.02 + 0.005 × 24 now, 0.2 twelve hours later.
    expect(found?.currentValue).toBeCloseTo(0.14, 1);
    expect(Math.abs((found?.breachAt ?? 0) - (FLEET_NOW + 12 * HOUR_MS))).toBeLessThan(2 * HOUR_MS);
    expect(found?.severity).toBe("critical");
    expect(found?.observation).toMatchObject({ unit: "hour", n: 24, slopeUnit: "fraction an hour" });
  });

  it("gives an interval for when a budget is used up", () => {
    const { predictions } = look(quiet, { ...NO_LIMITS, budgets: [budget(40_000_000, 30_000_000)] }, 5);
    const [found] = predictions.filter(({ type }) => type === "budget_exhaustion");
    const { earliest = 0, latest = 0 } = found?.observation.interval ?? {};
    expect(earliest).toBeLessThan(found?.breachAt ?? 0);
    expect(latest ?? Number.POSITIVE_INFINITY).toBeGreaterThan(found?.breachAt ?? 0);
    expect(Math.abs((found?.breachAt ?? 0) - (FLEET_NOW + 4.2 * HOUR_MS))).toBeLessThan(HOUR_MS);
  });
});

describe("what cannot be predicted", () => {
  it("is reported with what is missing, not skipped", () => {
    const hours = [1, 2, 3].map(hour => ({
      at: startOf(FLEET_NOW, HOUR_MS) - hour * HOUR_MS,
      calls: 30,
      errors: 3,
      latency_sum_ms: 30,
      cost_microcents: 30,
      unpriced_calls: 0,
    }));
    const series = { agentId: "new", hours: hours.toReversed(), days: [] };
    const { predictions, insufficient } = concludeFleet(
      examineAgent(
        series,
        { ...NO_LIMITS, budgets: [{ ...budget(10, 1), agentId: "new", countsFrom: FLEET_NOW }] },
        FLEET_NOW,
      ),
      FLEET_NOW,
    );
    expect(predictions).toEqual([]);
    expect(insufficient.map(({ type, reason }) => [type, reason])).toEqual([
      ["error_rate_breach", "needs 8 of the last 24 hours with at least 20 calls, has 3"],
      ["latency_degradation", "needs 8 of the last 24 hours with at least 20 calls, has 3"],
      ["cost_overrun", "needs 8 whole days since the first call, has 0"],
      ["budget_exhaustion", "The daily budget of the agent bud needs 6 whole hours of its period, has 0"],
    ]);
  });

  it("includes past events: a used-up budget is an alert, not a prediction", () => {
    const { predictions, insufficient } = concludeFleet(
      examineOrganization(
        { agentId: null, hours: [], days: [] },
        { ...NO_LIMITS, burstPerMinute: 1, budgets: [{ ...budget(10, 10), agentId: null }] },
        FLEET_NOW,
      ),
      FLEET_NOW,
    );
    expect(predictions).toEqual([]);
    expect(insufficient.map(({ type }) => type)).toEqual(["cost_overrun", "rate_limit_risk"]);
  });

  it("is not examined without a threshold", () => {
    const findings = examineAgent(
      { agentId: "a", hours: [], days: [] },
      { ...NO_LIMITS, errorRate: null, costSpikePct: null },
      FLEET_NOW,
    );
    expect(findings.map(({ type }) => type)).toEqual(["latency_degradation"]);
  });
});
