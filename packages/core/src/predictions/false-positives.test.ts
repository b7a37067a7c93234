import { describe, expect, it } from "bun:test";
import { simulationRuns } from "../../../../test/support/full-size.ts";
import {
  FLEET_NOW,
  NO_LIMITS,
  organizationOf,
  type Rates,
  seeded,
  simulateAgent,
  wandering,
} from "../../../../test/support/simulations/simulated-fleet.ts";
import { DAY_MS } from "../time/durations.ts";
import { startOf } from "../time/start-of-day.ts";
import { concludeFleet } from "./conclude-fleet.ts";
import { examineAgent, examineOrganization } from "./examine-fleet.ts";
import type { FleetLimits } from "./fleet-limits.ts";
import type { Prediction, PredictionType } from "./prediction.ts";
import type { UsageSeries } from "./usage-series.ts";

const FLEETS = simulationRuns(200);
const AGENTS = 8;
const NOMINAL = 0.05;

/** Highest at 15:00 UTC, lowest at 3:00. */
const cycle = (at: number) => Math.sin(((at % DAY_MS) / DAY_MS - 0.375) * 2 * Math.PI);

/** One agent's rates, with their own noise. */
type NewRates = (random: () => number) => Rates;

const flat: NewRates = () => ({
  calls: () => 60,
  errors: () => 0.04,
  latencyMs: () => 800,
  microcents: () => 40_000,
});

/** Busier, slower, worse and more expensive every afternoon: a daily rise that is not a trend. */
const daily: NewRates = () => ({
  calls: at => 60 + 40 * cycle(at),
  errors: at => 0.04 + 0.03 * cycle(at),
  latencyMs: at => 800 + 400 * cycle(at),
  microcents: at => 40_000 + 10_000 * cycle(at),
});

/** Good and bad hours come in runs: a rate may rise for half a day by chance, and fall again. */
const restless =
  (alike: number): NewRates =>
  random => {
    const [errors, latency, cost] = [1, 2, 3].map(() => wandering(random, alike));
    return {
      calls: () => 60,
      errors: at => 0.04 * Math.exp(0.5 * (errors?.(at) ?? 0)),
      latencyMs: at => 800 * Math.exp(0.3 * (latency?.(at) ?? 0)),
      microcents: at => 40_000 * Math.exp(0.3 * (cost?.(at) ?? 0)),
    };
  };

/** Two budgets that suffice if nothing changes: on average 90 % of each is used at its end. */
function limitsOf(agents: readonly UsageSeries[]): FleetLimits {
  const organization = organizationOf(agents);
  const today = startOf(FLEET_NOW, DAY_MS);
  const month = Date.parse("2026-11-01T00:00:00Z");
  const spent = (from: number) =>
    organization.hours.reduce((sum, hour) => (hour.at >= from ? sum + hour.cost_microcents : sum), 0);
  const dayCost = AGENTS * 24 * 60 * 40_000;
  return {
    ...NO_LIMITS,
    monthlyCalls: Math.round((AGENTS * 24 * 60 * 30) / 0.9),
    budgets: [
      {
        id: "day",
        agentId: null,
        agentKey: null,
        keyId: null,
        customerId: null,
        period: "daily",
        limitMicrocents: Math.round(dayCost / 0.9),
        spentMicrocents: spent(today),
        unpricedCalls: 0,
        countsFrom: today,
        endsAtMs: today + DAY_MS,
      },
      {
        id: "month",
        agentId: null,
        agentKey: null,
        keyId: null,
        customerId: null,
        period: "monthly",
        limitMicrocents: Math.round((dayCost * 30) / 0.9),
        spentMicrocents: spent(month),
        unpricedCalls: 0,
        countsFrom: month,
        endsAtMs: Date.parse("2026-12-01T00:00:00Z"),
      },
    ],
  };
}

function lookAt(newRates: NewRates, seed: number): { predictions: readonly Prediction[]; pValues: number[] } {
  const random = seeded(seed);
  const agents = Array.from({ length: AGENTS }, (_, index) =>
    simulateAgent(`agent-${index}`, newRates(random), random),
  );
  const limits = limitsOf(agents);
  const findings = [
    ...agents.flatMap(agent => examineAgent(agent, limits, FLEET_NOW)),
    ...examineOrganization(organizationOf(agents), limits, FLEET_NOW),
  ];
  return {
    predictions: concludeFleet(findings, FLEET_NOW).predictions,
    pValues: findings.flatMap(finding => (finding.kind === "tested" ? [finding.p] : [])),
  };
}

describe("fleets without a trend", () => {
  it.each([
    ["the same at every hour", flat],
    ["with a strong daily cycle", daily],
    ["with hours that resemble the hour before (0.8)", restless(0.8)],
    ["with hours that resemble the hour before (0.95)", restless(0.95)],
  ])("get a failure prediction no more often than the nominal 5 %%: %s", (name, rates) => {
    const byType = new Map<PredictionType, number>();
    const pValues: number[] = [];
    let predicted = 0;
    for (let seed = 1; seed <= FLEETS; seed++) {
      const { predictions, pValues: ofFleet } = lookAt(rates, seed);
      pValues.push(...ofFleet);
      if (predictions.length > 0) predicted++;
      for (const { type } of predictions) byType.set(type, (byType.get(type) ?? 0) + 1);
    }
    const low = pValues.filter(p => p <= NOMINAL).length / pValues.length;
    console.log(
      `${name}: ${predicted} of ${FLEETS} seeded fleets without a trend have any prediction ` +
        `(${((100 * predicted) / FLEETS).toFixed(1)}%, nominal ${100 * NOMINAL}%), and ${(100 * low).toFixed(2)}% ` +
        `of ${pValues.length} single tests a p of at most ${NOMINAL} ${JSON.stringify([...byType])}`,
    );
    // Each test keeps its level individually too: they do not depend on the correction.
    expect(low).toBeLessThanOrEqual(NOMINAL);
    expect(predicted / FLEETS).toBeLessThanOrEqual(NOMINAL);
  });
});
