import { expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { isBelievableCost } from "./is-believable-cost.ts";

const cases: [string, number, { cost: number | null; tokens?: number; fees?: number }, boolean][] = [
  ["the price itself", 7825, { cost: 7825 }, true],
  ["a tenth, all of it cached", 782, { cost: 7825 }, true],
  ["twice the price, a tier that it does not name", 15_650, { cost: 7825 }, true],
  ["a hundred times the price", 782_500, { cost: 7825 }, true],
  ["a microcent more than that", 782_501, { cost: 7825 }, false],
  ["a thousand times the price", 7_825_000, { cost: 7825 }, false],
  ["a hundredth of the price", 79, { cost: 7825 }, true],
  ["less than a hundredth", 78, { cost: 7825 }, false],
  ["nothing", 0, { cost: 7825 }, true],
  ["the fees of thirty sources, for a few words", 7_500_100, { cost: 100, fees: 30 }, true],
  ["as much without a source", 7_500_100, { cost: 100 }, false],
  ["$0.10 for a source", 1_010_000, { cost: 100, fees: 1 }, true],
  ["a microcent more than that for a source", 1_010_001, { cost: 100, fees: 1 }, false],
  ["any amount for a billion sources", 1_000_010_001, { cost: 100, fees: 1e9 }, false],
  ["$1,000 per million tokens of an unpriced model", 1_000_000, { cost: null, tokens: 100 }, true],
  ["more than that", 1_000_001, { cost: null, tokens: 100 }, false],
  ["$1,000 per million tokens of a model whose price is set to 0", 1_000_000, { cost: 0, tokens: 100 }, true],
  ["more than that, too", 1_000_001, { cost: 0, tokens: 100 }, false],
  ["a fee of an unpriced model", 1_500_000, { cost: null, tokens: 100, fees: 1 }, true],
];

for (const [what, reported, { cost, tokens = 0, fees = 0 }, expected] of cases)
  it(`MON-010 ${what} is ${expected ? "believed" : "not believed"}`, () => {
    const costMicrocents = cost === null ? null : microcents(cost);
    expect(isBelievableCost(microcents(reported), { costMicrocents, tokens, fees })).toBe(expected);
  });
