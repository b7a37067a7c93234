import { expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { isBelievableCost } from "./is-believable-cost.ts";

const cases: [string, number, { cost: number | null; tokens?: number; fees?: number }, boolean][] = [
  ["the price itself", 7825, { cost: 7825 }, true],
  ["a tenth, all of it cached", 782, { cost: 7825 }, true],
  ["twice the price, a tier that it does not name", 15_650, { cost: 7825 }, true],
  ["a dollar for a few words", 10_000_000, { cost: 100 }, true],
  ["a microcent more than a dollar for them", 10_000_001, { cost: 100 }, false],
  ["a hundred times the price", 78_250_000, { cost: 782_500 }, true],
  ["a microcent more than that", 78_250_001, { cost: 782_500 }, false],
  ["a hundredth of the price", 79, { cost: 7825 }, true],
  ["less than a hundredth", 78, { cost: 7825 }, false],
  ["nothing", 0, { cost: 7825 }, true],
  ["the fees of a hundred sources, for a few words", 100_010_000, { cost: 100, fees: 100 }, true],
  ["a microcent more than $0.10 for each", 100_010_001, { cost: 100, fees: 100 }, false],
  ["as much without a source", 100_010_000, { cost: 100 }, false],
  ["any amount for a billion sources", 1_000_010_001, { cost: 100, fees: 1e9 }, false],
  ["$1,000 per million tokens of an unpriced model", 20_000_000, { cost: null, tokens: 2000 }, true],
  ["more than that", 20_000_001, { cost: null, tokens: 2000 }, false],
  [
    "$1,000 per million tokens of a model whose price is set to 0",
    20_000_000,
    { cost: 0, tokens: 2000 },
    true,
  ],
  ["more than that, too", 20_000_001, { cost: 0, tokens: 2000 }, false],
  ["a fee of an unpriced model", 20_500_000, { cost: null, tokens: 2000, fees: 1 }, true],
];

for (const [what, reported, { cost, tokens = 0, fees = 0 }, expected] of cases)
  it(`MON-010 ${what} is ${expected ? "believed" : "not believed"}`, () => {
    const costMicrocents = cost === null ? null : microcents(cost);
    expect(isBelievableCost(microcents(reported), { costMicrocents, tokens, fees })).toBe(expected);
  });
