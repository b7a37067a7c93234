import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { DAY_MS } from "../time/durations.ts";
import { gradeOf, wholeScore } from "./grade.ts";
import { type AgentHealth, type HealthParts, healthParts } from "./health-parts.ts";
import { healthScore, isStale, weightedMean, weights } from "./health-score.ts";
import { fleetHealth, rankAgents } from "./rank-agents.ts";

const perfect: HealthParts = {
  reliability: 1,
  cost_efficiency: 1,
  latency_steadiness: 1,
  budgets: 1,
  outcomes: 1,
};

describe("the health score of an agent", () => {
  it("agrees with the accepted value: 77.22 from four parts with 90 % of the weights", () => {
    const { mean, completeness } = weightedMean([
      [0.35, 0.8],
      [0.25, 0.88],
      [0.15, 0.8],
      [0.15, 0.5],
      [0.1, null],
    ]);
    expect(Math.abs(100 * (mean ?? 0) - 77.22222222222223)).toBeLessThan(1e-9);
    expect(wholeScore(100 * (mean ?? 0))).toBe(77);
    expect(gradeOf(77)).toBe("B");
    expect(Math.abs(completeness - 0.9)).toBeLessThan(1e-12);
  });

  it("LOOP-017 is graded A from 80, B from 60, C from 40, D from 20, F below, for every integer score", () => {
    const expected = (score: number) =>
      score >= 80 ? "A" : score >= 60 ? "B" : score >= 40 ? "C" : score >= 20 ? "D" : "F";
    for (let score = 0; score <= 100; score += 1) expect(gradeOf(score)).toBe(expected(score));
    expect([79, 80, 59, 60, 39, 40, 19, 20].map(gradeOf).join("")).toBe("BACBDCFD");
  });

  it("LOOP-027 is rounded half up before it is graded", () => {
    expect([79.5, 79.49, 59.5, 0.5, 0.49, 100].map(wholeScore)).toEqual([80, 79, 60, 1, 0, 100]);
    // 30 × 1 + 25 × 1 + 15 × 1 + 10 × 0.95 = 79.5, with no points for outcomes.
    const score = healthScore({ ...perfect, budgets: 0.95, outcomes: 0 }, 1000);
    expect(score).toEqual({ status: "scored", score: 80, grade: "A", data_completeness: 1 });
  });

  it("LOOP-027 weighs reliability 30, cost 25, outcomes 20, latency 15, budgets 10", () => {
    expect(Object.values(weights).reduce((sum, weight) => sum + weight, 0)).toBe(100);
    for (const [part, weight] of Object.entries(weights)) {
      const without = healthScore({ ...perfect, [part]: 0 }, 1000);
      expect(without).toMatchObject({ status: "scored", score: 100 - weight });
    }
  });

  it("LOOP-027 excludes parts without data, and reports how much of the weight had data", () => {
    const parts = { ...perfect, reliability: 0.5, budgets: null, outcomes: null };
    // (15 + 25 + 15) / 70
    expect(healthScore(parts, 1000)).toEqual({
      status: "scored",
      score: 79,
      grade: "B",
      data_completeness: 0.7,
    });
  });

  it("LOOP-027 does not exist for fewer than 20 calls, or without any data", () => {
    expect(healthScore(perfect, 19)).toEqual({ status: "insufficient_data", data_completeness: 1 });
    expect(healthScore(perfect, 20).status).toBe("scored");
    const nothing = healthParts({ ...agent, calls: 0, failedCalls: 0, spendMicrocents: 0, outcomes: 0 });
    expect(healthScore({ ...nothing, latency_steadiness: null, budgets: null }, 100)).toEqual({
      status: "insufficient_data",
      data_completeness: 0,
    });
  });

  it("is between 0 and 100 for any parts", () => {
    const part = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(
        fc.record({
          reliability: part,
          cost_efficiency: part,
          latency_steadiness: part,
          budgets: part,
          outcomes: part,
        }),
        parts => {
          const health = healthScore(parts, 100);
          expect(health.data_completeness).toBeGreaterThanOrEqual(0);
          expect(health.data_completeness).toBeLessThanOrEqual(1);
          if (health.status !== "scored") return;
          expect(Number.isInteger(health.score)).toBe(true);
          expect(health.score).toBeGreaterThanOrEqual(0);
          expect(health.score).toBeLessThanOrEqual(100);
        },
      ),
    );
  });

  it("LOOP-027 is stale seven days after the last call", () => {
    expect(isStale(0, 7 * DAY_MS - 1)).toBe(false);
    expect(isStale(0, 7 * DAY_MS)).toBe(true);
  });
});

const agent: AgentHealth = {
  calls: 50,
  failedCalls: 43,
  spendMicrocents: 1000,
  wasteMicrocents: 250,
  latencySpreadLast7Days: 4,
  latencySpread: 3,
  budgetPeriods: 4,
  budgetPeriodsKept: 3,
  outcomes: 10,
  successfulOutcomes: 9,
};

describe("the parts of a health score", () => {
  it("LOOP-027 are computed from rates with data", () => {
    const parts = healthParts(agent);
    // Wilson's lower bound of 7 of 50.
    expect(parts.reliability).toBeCloseTo(0.06950833427016288, 12);
    expect(parts).toMatchObject({
      cost_efficiency: 0.75,
      latency_steadiness: 0.75,
      budgets: 0.75,
      outcomes: 0.9,
    });
  });

  it("are null without data, and always between 0 and 1", () => {
    expect(healthParts({ ...agent, wasteMicrocents: null }).cost_efficiency).toBeNull();
    expect(healthParts({ ...agent, spendMicrocents: 0 }).cost_efficiency).toBeNull();
    expect(healthParts({ ...agent, wasteMicrocents: 5000 }).cost_efficiency).toBe(0);
    expect(healthParts({ ...agent, latencySpread: null }).latency_steadiness).toBeNull();
    expect(healthParts({ ...agent, latencySpreadLast7Days: 2 }).latency_steadiness).toBe(1);
    expect(healthParts({ ...agent, budgetPeriods: 0, budgetPeriodsKept: 0 }).budgets).toBeNull();
    expect(healthParts({ ...agent, outcomes: 0, successfulOutcomes: 0 }).outcomes).toBeNull();
  });
});

describe("a ranking by health", () => {
  const named = (...scores: number[]) => scores.map((score, index) => ({ name: `agent ${index}`, score }));

  it("LOOP-027 has the highest first, shared ranks for ties and mid-rank percentiles", () => {
    expect(rankAgents(named(50, 90, 70, 70))).toEqual([
      { name: "agent 1", score: 90, rank: 1, percentile: 87.5 },
      { name: "agent 2", score: 70, rank: 2, percentile: 50 },
      { name: "agent 3", score: 70, rank: 2, percentile: 50 },
      { name: "agent 0", score: 50, rank: 4, percentile: 12.5 },
    ]);
    expect(rankAgents(named(42))).toEqual([{ name: "agent 0", score: 42, rank: 1, percentile: 50 }]);
    expect(rankAgents([])).toEqual([]);
  });

  it("has percentiles with a mean of 50, whatever the scores", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 30 }), scores => {
        const ranked = rankAgents(named(...scores));
        const mean = ranked.reduce((sum, { percentile }) => sum + percentile, 0) / ranked.length;
        expect(Math.abs(mean - 50)).toBeLessThan(1e-9);
      }),
    );
  });

  it("has the average score of the fleet and its grade", () => {
    expect(fleetHealth(named(80, 79))).toEqual({ average_score: 80, grade: "A" });
    expect(fleetHealth([])).toBeNull();
  });
});
