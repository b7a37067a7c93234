import { expect, it } from "bun:test";
import { isSpent } from "./is-spent.ts";

it.each([
  ["nothing was spent", 0, 0, 0, false],
  ["the first pair is not graded yet", 0, 0, 900, false],
  ["two more pairs fit exactly", 7, 1, 800, false],
  ["two more pairs do not fit", 7, 1, 801, true],
  ["controls cost as much as other pairs", 0, 8, 801, true],
  ["all of it is spent on pairs that were never graded", 0, 0, 1000, true],
] as const)("the spend of a verification: %s", (_case, pairs, controls, spentMicrocents, expected) => {
  expect(isSpent(1000, { pairs, controls, spentMicrocents })).toBe(expected);
});
