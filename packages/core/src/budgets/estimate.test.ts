import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { microcents, ratePerMillion } from "../money/money.ts";
import type { Usage } from "../money/usage.ts";
import { createCatalogue } from "../pricing/catalogue.ts";
import { costOf } from "../pricing/cost.ts";
import type { RateCard } from "../pricing/rates.ts";
import { affordableOutput, estimateCost, expectedOutput, worstCost } from "./estimate.ts";
import { sure } from "./expectation.ts";

const catalogue = createCatalogue();
const listPrice = { serviceTier: null, speed: null, region: null };

function cardOf(provider: "openai" | "anthropic", model: string) {
  const card = catalogue.card(provider, model, new Date("2026-11-15"), 0, listPrice);
  if (!card) throw new Error(`${model} has no price`);
  return card;
}

const cost = (usage: Usage, card: RateCard) => microcents(Number(costOf(usage, card)));

const mini = cardOf("openai", "gpt-4o-mini");
const claude = cardOf("anthropic", "claude-sonnet-4-5");

describe("the estimated length of an answer", () => {
  const usual = { mean: 200, spread: 100 };
  const short = { mean: 3, spread: 1 };
  for (const [asked, choices, learned, length, why] of [
    [null, 1, null, { mean: 400, spread: 400 }, "nothing is known"],
    [null, 3, null, { mean: 1200, spread: 1200 }, "nothing is known of three answers"],
    [null, 1, usual, usual, "this agent and model are known"],
    [500, 1, null, { mean: 500, spread: 0 }, "the caller limits it"],
    [500, 4, null, { mean: 2000, spread: 0 }, "the caller limits each of four"],
    [500, 1, usual, { mean: 500, spread: 0 }, "the caller's limit is not far above what is usual"],
    [64_000, 1, usual, usual, "the caller's limit is absurdly above what is usual"],
    [1000, 1, short, { mean: 1000, spread: 0 }, "a small limit is never absurd"],
    [2916, 1, usual, { mean: 2916, spread: 0 }, "eight times what is usual is not absurd yet"],
    [2917, 1, usual, usual, "more than eight times is"],
    [0, 1, null, { mean: 0, spread: 0 }, "a caller who only fills the cache wants no answer"],
    [-5, 1, null, { mean: 400, spread: 400 }, "an invalid limit is ignored"],
    [1e300, 1, null, { mean: 400, spread: 400 }, "an invalid limit is ignored"],
    [9e15, 2, null, { mean: 200_000, spread: 0 }, "this model writes no more"],
    [9e15, 9e15, null, { mean: 1e9, spread: 0 }, "no sum of answers is longer"],
  ] as const) {
    it(`BUD-016 ${length.mean} tokens: ${why}`, () => {
      const size = {
        prompt: { input: 0, audio: 0 },
        maxOutputTokens: asked,
        choices,
        longestAnswer: 100_000,
        learnedOutput: learned,
      };
      expect(expectedOutput(size)).toEqual(length);
    });
  }
});

describe("the estimate of a call", () => {
  it("covers the prompt at the highest rate that text has, and the answer", () => {
    const size = {
      prompt: { input: 1000, audio: 0 },
      maxOutputTokens: 100,
      choices: 2,
      longestAnswer: 16_384,
      learnedOutput: null,
    };
    expect(estimateCost(size, mini)).toEqual(sure(cost({ input: 1000, output: 200 }, mini)));
    expect(estimateCost(size, claude)).toEqual(sure(cost({ cache_write: 1000, output: 200 }, claude)));
    const spoken = { ...size, prompt: { input: 1000, audio: 50 } };
    const audio = cardOf("openai", "gpt-4o-audio-preview");
    expect(estimateCost(spoken, audio)).toEqual(
      sure(cost({ input: 1000, input_audio: 50, output: 200 }, audio)),
    );
  });
});

describe("a price so high that a call could cost more than $900 million", () => {
  const absurd = { ...mini, rates: { ...mini.rates, output: ratePerMillion(10 ** 12) } };
  const most = Number.MAX_SAFE_INTEGER;

  it("saturates the estimate and the worst case, instead of failing the call", () => {
    const prompt = { input: 1, audio: 0 };
    const size = { prompt, maxOutputTokens: 16_000, choices: 1, longestAnswer: 16_384, learnedOutput: null };
    expect(Number(estimateCost(size, absurd).meanMicrocents)).toBe(most);
    expect(Number(worstCost({ inputTokens: 1, toolUses: 0 }, 16_000, absurd))).toBe(most);
  });
});

describe("the worst case", () => {
  const counts = fc.integer({ min: 0, max: 1_000_000 });

  it("BUD-017 is never below the cost of the same tokens, of any kind", () => {
    fc.assert(
      fc.property(counts, counts, counts, counts, (input, cached, output, reasoning) => {
        for (const card of [mini, claude]) {
          const usage = { input, cache_write_1h: cached, output, reasoning, web_searches: 3 };
          const bound = { inputTokens: input + cached, toolUses: 3 };
          expect(worstCost(bound, output + reasoning, card)).toBeGreaterThanOrEqual(cost(usage, card));
        }
      }),
    );
  });

  it("BUD-017 fits the money for the affordable answer, but not for one token more", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        counts,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 3 }),
        (money, inputTokens, choices, toolUses) => {
          const bound = { inputTokens, toolUses };
          for (const card of [mini, claude]) {
            const tokens = affordableOutput(microcents(money), bound, choices, card);
            const fits = worstCost(bound, tokens * choices, card) <= money;
            expect(fits || tokens === 0).toBe(true);
            expect(worstCost(bound, (tokens + 1) * choices, card)).toBeGreaterThan(money);
          }
        },
      ),
    );
  });
});
