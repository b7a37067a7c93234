import { expect, it } from "bun:test";
import { ArmSums } from "./arm-sums.ts";
import { assess } from "./assess.ts";
import { LatencyCounts } from "./latency-counts.ts";
import { SequentialTest } from "./sequential-test.ts";
import { TAU, Tally } from "./tally.ts";

/** The difference of success rates, if all outcomes of an arm are alike. */
function differenceOf(outcomes: { readonly control: ArmSums; readonly treatment: ArmSums }) {
  const latencies = { control: new LatencyCounts([]), treatment: new LatencyCounts([]) };
  const qualityTest = new SequentialTest((TAU.quality_score ?? 0) ** 2);
  qualityTest.look(outcomes);
  return assess({ tally: Tally.of("quality_score"), latencies, outcomes, qualityTest });
}

function alike(outcome: 0 | 1, sessions: number, each = 1): ArmSums {
  const sums = new ArmSums();
  for (let session = 0; session < sessions; session += 1) {
    for (let n = 0; n < each; n += 1) sums.add(outcome, { samples: n, sum: n * outcome });
  }
  return sums;
}

it("EXP-005 outcomes that all succeed have a difference with an interval, and no winner", () => {
  const { difference, winner, is_significant } = differenceOf({
    control: alike(1, 300),
    treatment: alike(1, 300),
  });
  expect(difference).toMatchObject({ value: 0 });
  expect(difference?.low).toBeGreaterThan(-0.05);
  expect(difference?.low).toBeLessThan(0);
  expect(difference?.high).toBe(-(difference?.low ?? 0));
  expect({ winner, is_significant }).toEqual({ winner: null, is_significant: false });
});

it("outcomes of one session count once where all are alike", () => {
  const once = differenceOf({ control: alike(1, 120), treatment: alike(1, 120) }).difference;
  const often = differenceOf({ control: alike(1, 120, 10), treatment: alike(1, 120, 10) }).difference;
  expect(often).toEqual(once);
  const few = differenceOf({ control: alike(1, 99, 10), treatment: alike(1, 120, 10) }).difference;
  expect(few).toEqual({ value: 0, low: null, high: null });
});

it("an arm that only fails is worse than one that only succeeds", () => {
  const { difference } = differenceOf({ control: alike(1, 300), treatment: alike(0, 300) });
  expect(difference).toMatchObject({ value: -1 });
  expect(difference?.high).toBeLessThan(-0.9);
});
