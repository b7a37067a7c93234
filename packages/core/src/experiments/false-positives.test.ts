import { describe, expect, it } from "bun:test";
import { simulationRuns } from "../../../../test/support/full-size.ts";
import { welchTest } from "../../../../test/support/statistics/welch-test.ts";
import type { Arm } from "../steering.ts";
import { NEW_SESSION, type SessionSums } from "./arm-sums.ts";
import { assess } from "./assess.ts";
import { type PrimaryMetric, primaryMetrics } from "./experiment.ts";
import { LatencyCounts } from "./latency-counts.ts";
import { SequentialTest } from "./sequential-test.ts";
import { emptyArms } from "./stored-arms.ts";
import { EMPTY_SESSION, type SessionTally, TAU, Tally } from "./tally.ts";

/** Each run is evaluated after every single call, and stops at the first detected difference. */
const RUNS = simulationRuns(200);
/** For tests of power: a fifth of the runs would be too few. */
const POWER_RUNS = 200;
const CALLS = 2000;
const NOMINAL = 0.05;

interface World {
  readonly treatmentShare: number;
  /** Average calls per session; 0: no sessions. */
  readonly sessionCalls: number;
  /** Treats calls of a session as independent. */
  readonly forgetsSessions?: boolean;
  /** Factor that the treatment applies to each number; 1: none. */
  readonly factor: number;
}

const base: World = { treatmentShare: 0.5, sessionCalls: 0, factor: 1 };

describe("an experiment between two equal models, evaluated after every call", () => {
  for (const [name, world] of [
    ["half of the calls", base],
    ["a tenth of the calls", { ...base, treatmentShare: 0.1 }],
    ["sessions whose calls are alike", { ...base, sessionCalls: 8 }],
  ] as const) {
    it(`EXP-008 finds a difference in at most 5 % of ${RUNS} runs, for every metric: ${name}`, () => {
      const rates = primaryMetrics.map(metric => {
        let found = 0;
        for (let seed = 1; seed <= RUNS; seed += 1) if (simulate(metric, world, seed).decided) found += 1;
        return [metric, found / RUNS] as const;
      });
      console.log(`A/A, ${name}: ${rates.map(([metric, rate]) => `${metric} ${100 * rate} %`).join(", ")}`);
      for (const [, rate] of rates) expect(rate).toBeLessThanOrEqual(NOMINAL);
    }, 600_000);
  }

  it("would find too many differences if the calls of a session were treated as independent", () => {
    const world = { ...base, sessionCalls: 8, forgetsSessions: true };
    let found = 0;
    for (let seed = 1; seed <= POWER_RUNS; seed += 1)
      if (simulate("cost_per_call", world, seed).decided) found += 1;
    console.log(`A/A, sessions forgotten: cost_per_call ${(100 * found) / POWER_RUNS} %`);
    expect(found / POWER_RUNS).toBeGreaterThan(2 * NOMINAL);
  });

  it("would find too many differences with a test for a single look: the simulation detects it", () => {
    let found = 0;
    for (let seed = 1; seed <= POWER_RUNS; seed += 1) if (peeksWithWelch(seed)) found += 1;
    console.log(`A/A, Welch's test after every tenth call: ${(100 * found) / POWER_RUNS} %`);
    expect(found / POWER_RUNS).toBeGreaterThan(3 * NOMINAL);
  });
});

describe("an experiment between different models", () => {
  it.each([
    ["cost_per_call", 0.7],
    ["latency_p50", 0.7],
    ["latency_p95", 0.6],
    ["error_rate", 0.2],
    ["quality_score", 0.6],
  ] as const)(
    "EXP-008 is decided for the better arm within 2,000 calls, and its interval contains the true value: %s",
    (metric, factor) => {
      let decided = 0;
      let covered = 0;
      let intervals = 0;
      for (let seed = 1; seed <= 20; seed += 1) {
        const run = simulate(metric, { ...base, factor }, seed);
        if (run.decided) decided += 1;
        // Lower is better, except for quality.
        if (run.decided) expect(run.winner).toBe(metric === "quality_score" ? "control" : "treatment");
        if (run.low === null || run.high === null) continue;
        intervals += 1;
        if (run.low <= run.truth && run.truth <= run.high) covered += 1;
      }
      console.log(
        `${metric}: decided in ${decided} of 20 runs, the interval held the truth in ${covered} of ${intervals}`,
      );
      expect(decided).toBeGreaterThanOrEqual(18);
      expect(intervals).toBeGreaterThan(0);
      expect(covered).toBeGreaterThanOrEqual(intervals - 1);
    },
  );
});

const ERROR_RATE = 0.1;
const COST = 20_000;
const COST_DEVIATIONS = 0.8;
const LATENCY = 800;
const LATENCY_DEVIATIONS = 0.5;
const QUALITY = 0.8;

/** Skewed costs and latencies, like those of real calls. */
function simulate(metric: PrimaryMetric, world: World, seed: number) {
  const random = randomOf(seed);
  const tally = Tally.of(metric);
  const outcomes = emptyArms();
  const qualityTest = new SequentialTest(TAU.quality_score ** 2);
  const counts = { control: new Map<number, number>(), treatment: new Map<number, number>() };
  let left = 0;
  let arm: Arm = "control";
  let mood = 0;
  let session: SessionTally | null = null;
  let outcomesOfSession: SessionSums = NEW_SESSION;
  for (let call = 0; call < CALLS; call += 1) {
    if (left === 0) {
      left = world.sessionCalls === 0 ? 1 : 1 + Math.floor(-Math.log(1 - random()) * world.sessionCalls);
      arm = random() < world.treatmentShare ? "treatment" : "control";
      session = world.sessionCalls === 0 || world.forgetsSessions ? null : EMPTY_SESSION;
      mood = world.sessionCalls === 0 ? 0 : normal(random);
      outcomesOfSession = NEW_SESSION;
    }
    left -= 1;
    const factor = arm === "treatment" ? world.factor : 1;
    const size = (normal(random) + mood) / (world.sessionCalls === 0 ? 1 : Math.SQRT2);
    const latency_ms = Math.round(LATENCY * factor * Math.exp(LATENCY_DEVIATIONS * size));
    counts[arm].set(latency_ms, (counts[arm].get(latency_ms) ?? 0) + 1);
    const isUnlucky = (share: number) => random() < share * (mood > 0 ? 1.5 : mood < 0 ? 0.5 : 1);
    const before = session;
    session = tally.add(
      {
        arm,
        cost_microcents: Math.round(COST * factor * Math.exp(COST_DEVIATIONS * size)),
        latency_ms,
        is_error: isUnlucky(ERROR_RATE * factor),
      },
      before,
    );
    if (metric !== "quality_score") continue;
    const sample = isUnlucky(1 - QUALITY * factor) ? 0 : 1;
    outcomes[arm].add(sample, outcomesOfSession);
    if (before !== null) {
      outcomesOfSession = { samples: outcomesOfSession.samples + 1, sum: outcomesOfSession.sum + sample };
    }
    qualityTest.look(outcomes);
  }
  const latencies = {
    control: new LatencyCounts(counts.control),
    treatment: new LatencyCounts(counts.treatment),
  };
  const { is_significant, winner, difference } = assess({ tally, latencies, outcomes, qualityTest });
  return {
    decided: is_significant,
    winner,
    truth: (world.factor - 1) * truthOf[metric],
    low: difference?.low ?? null,
    high: difference?.high ?? null,
  };
}

const truthOf: { readonly [metric in PrimaryMetric]: number } = {
  cost_per_call: COST * Math.exp(COST_DEVIATIONS ** 2 / 2),
  latency_p50: LATENCY,
  latency_p95: LATENCY * Math.exp(LATENCY_DEVIATIONS * 1.6448536269514722),
  error_rate: ERROR_RATE,
  quality_score: QUALITY,
};

function peeksWithWelch(seed: number): boolean {
  const random = randomOf(seed);
  const sums = { a: { n: 0, sum: 0, squares: 0 }, b: { n: 0, sum: 0, squares: 0 } };
  for (let call = 1; call <= CALLS; call += 1) {
    const arm = random() < 0.5 ? sums.a : sums.b;
    const cost = COST * Math.exp(COST_DEVIATIONS * normal(random));
    arm.n += 1;
    arm.sum += cost;
    arm.squares += cost * cost;
    if (call % 10 > 0 || Math.min(sums.a.n, sums.b.n) < 100) continue;
    const [a, b] = [sums.a, sums.b].map(({ n, sum, squares }) => ({
      n,
      mean: sum / n,
      variance: (squares - (sum * sum) / n) / (n - 1),
    }));
    if (a && b && (welchTest(a, b)?.pValue ?? 1) < NOMINAL) return true;
  }
  return false;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A reproducible generator (mulberry32). */
function randomOf(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
