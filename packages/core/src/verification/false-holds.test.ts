import { describe, expect, it } from "bun:test";
import { simulationRuns } from "../../../../test/support/full-size.ts";
import { binomialCdf, binomialUpperTail } from "../statistics/binomial-tail.ts";
import { seededRandom } from "../statistics/seeded-random.ts";
import { tangoBound } from "../statistics/tango-bound.ts";
import { ScoreSequence } from "./score-sequence.ts";
import { builtInPolicies, planTrial, type VerificationPolicy } from "./trial-plan.ts";
import { scorePlan } from "./trial-sequence.ts";

/** Trials of each kind, each evaluated after every pair up to the end of its plan. */
const TRIALS = simulationRuns(2000);
const ALPHA = 0.05;
const POWER = 0.8;

/**
 * Simulated rates scatter around true ones. A rate fails if one at least this far off has a probability below 0.001 when
 * the guarantee just holds: P(Bin(n, 0.05) ≥ k) < 0.001. At 2,000 trials that allows 131 misses (6.6 %), at 400 trials
 * 35. Seeds are fixed, so the same code always has the same result.
 */
const SIGNIFICANCE = 0.001;

const atMost = (count: number, rate: number) => binomialUpperTail(count, TRIALS, rate) >= SIGNIFICANCE;
const atLeast = (count: number, rate: number) => binomialCdf(count, TRIALS, rate) >= SIGNIFICANCE;

/** Scores with the true mean `mean`. */
type World = (
  random: () => number,
  mean: number,
) => { readonly score: number; readonly session: string | null };

const worlds: Readonly<Record<string, World>> = {
  "half of the pairs tied": (random, mean) => {
    const drawn = random();
    return { score: drawn < 0.5 ? 0 : drawn < 0.75 + mean / 2 ? 1 : -1, session: null };
  },
  "no ties": (random, mean) => ({ score: random() < (1 + mean) / 2 ? 1 : -1, session: null }),
  "ties and rare losses": (random, mean) => ({
    score: random() < Math.abs(mean) ? Math.sign(mean) : 0,
    session: null,
  }),
  "a judge's quarters": (random, mean) => ({
    score: (Math.floor(random() * 5) - 2) / 4 + quarter(random, mean),
    session: null,
  }),
};

/** 0 or a quarter with the mean's sign, with that mean. */
function quarter(random: () => number, mean: number): number {
  return random() < Math.abs(mean) * 4 ? 0.25 * Math.sign(mean) : 0;
}

/** Pairs of a session are correlated: three of four scores are the session's. */
function inSessions(averageSize: number): World {
  let [left, number, luck] = [0, 0, 0];
  const draw = (random: () => number, mean: number) => (random() < (1 + mean) / 2 ? 1 : -1);
  return (random, mean) => {
    if (left === 0) {
      left = 1 + Math.floor(-Math.log(1 - random()) * averageSize);
      number += 1;
      luck = draw(random, mean);
    }
    left -= 1;
    return { score: random() < 0.75 ? luck : draw(random, mean), session: `session ${number}` };
  };
}

interface Trial {
  readonly holdsAfter: number | null;
  readonly degrades: boolean;
  readonly missesBelow: boolean;
  readonly missesAbove: boolean;
}

const subject = {
  agent_id: null,
  prod_provider: "openai",
  prod_model: "a",
  candidate_provider: "openai",
  candidate_model: "b",
} as const;

/** One pair per minute, so that sessions end while others continue. */
function simulate(policy: VerificationPolicy, world: World, mean: number, seed: number): Trial {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1));
  const sequence = new ScoreSequence(scorePlan(planTrial(subject, policy, null, "")));
  let holdsAfter: number | null = null;
  for (let pair = 1; pair <= policy.max_pairs; pair += 1) {
    const { score, session } = world(random, mean);
    sequence.add({ score, sessionId: session, recordedAtMs: pair * 60_000 });
    if (pair === policy.max_pairs) sequence.closeAll();
    if (holdsAfter === null && sequence.decision === "holds") holdsAfter = pair;
  }
  return {
    holdsAfter,
    degrades: sequence.decision === "degrades",
    // A bound is itself excluded.
    missesBelow: sequence.lower >= mean,
    missesAbove: sequence.upper <= mean,
  };
}

function simulateAll(policy: VerificationPolicy, world: () => World, mean: number) {
  const trials = Array.from({ length: TRIALS }, (_, seed) => simulate(policy, world(), mean, seed + 1));
  const count = (is: (trial: Trial) => boolean) => trials.filter(is).length;
  const after = trials.flatMap(({ holdsAfter }) => holdsAfter ?? []).sort((a, b) => a - b);
  return {
    holds: after.length,
    degrades: count(trial => trial.degrades),
    missesBelow: count(trial => trial.missesBelow),
    missesAbove: count(trial => trial.missesAbove),
    medianPairs: after[after.length >> 1] ?? null,
  };
}

const percent = (count: number) => `${((100 * count) / TRIALS).toFixed(1)} %`;

describe.each([...builtInPolicies])("trials of the policy $name, evaluated after every pair", policy => {
  const { margin, name } = policy;

  it.each([
    ...Object.entries(worlds).map(([world, draw]) => [world, () => draw] as const),
    ["sessions of four alike", () => inSessions(4)] as const,
  ])(
    "say `holds` in at most 5 % if the candidate is worse by the margin, and each bound misses as rarely: %s",
    (world, draw) => {
      const found = simulateAll(policy, draw, -margin);
      const { holds, missesBelow, missesAbove } = found;
      console.log(
        `${name}, ${world}, worse by ${margin}: false holds ${percent(holds)}, ends miss ${percent(missesBelow)} and ${percent(missesAbove)} of ${TRIALS} trials`,
      );
      expect(atMost(holds, ALPHA)).toBe(true);
      expect(atMost(missesBelow, ALPHA)).toBe(true);
      expect(atMost(missesAbove, ALPHA)).toBe(true);
    },
    120_000,
  );

  it("say `holds` in at least 80 % within the plan if there is no difference and half of the pairs are tied", () => {
    const tied = worlds["half of the pairs tied"];
    if (tied === undefined) throw new Error("no such world");
    const { holds, degrades, missesBelow, missesAbove, medianPairs } = simulateAll(policy, () => tied, 0);
    console.log(
      `${name}, no difference: holds ${percent(holds)} after ${medianPairs} pairs in the median, degrades ${percent(degrades)}, ends miss ${percent(missesBelow)} and ${percent(missesAbove)} of ${TRIALS} trials`,
    );
    expect(atLeast(holds, POWER)).toBe(true);
    expect(atMost(degrades, ALPHA)).toBe(true);
    expect(atMost(missesBelow, ALPHA)).toBe(true);
    expect(atMost(missesAbove, ALPHA)).toBe(true);
  });
});

describe("the simulation detects", () => {
  const [policy] = builtInPolicies;

  it("a single-look test that is evaluated after every pair", () => {
    let holds = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seededRandom(Math.imul(seed, 0x9e3779b1));
      const counts = { wins: 0, ties: 0, losses: 0 };
      for (let pair = 1; pair <= policy.max_pairs; pair += 1) {
        const drawn = random();
        counts[drawn < 0.5 ? "ties" : drawn < 0.75 - policy.margin / 2 ? "wins" : "losses"] += 1;
        if (pair < 50 || pair % 5 > 0) continue;
        const bound = tangoBound(counts.wins, counts.ties, counts.losses);
        if (bound === null || bound <= -policy.margin) continue;
        holds += 1;
        break;
      }
    }
    console.log(`quick, Tango's bound after every fifth pair: false holds ${holds / 2} %`);
    expect(holds / 200).toBeGreaterThan(2 * ALPHA);
  });

  it("pairs of a session that are treated as independent", () => {
    const forgetful = () => {
      const world = inSessions(4);
      return (random: () => number, mean: number) => ({ ...world(random, mean), session: null });
    };
    let holds = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      if (simulate(policy, forgetful(), -policy.margin, seed).holdsAfter !== null) holds += 1;
    }
    console.log(`quick, sessions forgotten: false holds ${holds / 2} %`);
    expect(holds / 200).toBeGreaterThan(2 * ALPHA);
  });
});
