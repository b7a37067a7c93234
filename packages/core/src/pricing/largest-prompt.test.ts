import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { estimateLargestPrompt } from "./largest-prompt.ts";

const unknown = { resultTokens: 0, shownTokens: null, contextWindow: null };

describe("the largest of several iterations", () => {
  it.each([
    ["a single iteration is the sum", { inputTokens: 250_000, iterations: 1, firstInput: 0 }, 250_000],
    ["the second of two is the rest", { inputTokens: 310_000, iterations: 2, firstInput: 150_000 }, 160_000],
    // 404,500 ÷ 11 = 36,772.7 on average, from 2,479 to 71,066.5
    ["eleven that grow evenly", { inputTokens: 404_500, iterations: 11, firstInput: 2479 }, 71_067],
    ["the first is the largest", { inputTokens: 300_000, iterations: 3, firstInput: 180_000 }, 180_000],
    ["a first above the sum is ignored", { inputTokens: 100, iterations: 2, firstInput: 900 }, 100],
  ])("MON-008 %s", (_, summed, largest) => {
    expect(estimateLargestPrompt({ ...unknown, ...summed }).tokens).toBe(largest);
  });

  it.each([
    // The provider adds an earlier conversation: 150,000 and 158,000, of which the request shows a few words.
    [
      "nothing is known of the first: what the tools returned decides",
      { inputTokens: 308_000, iterations: 2, resultTokens: 8000, shownTokens: null },
      158_000,
    ],
    // 85,000 and 95,000, at three bytes per token.
    [
      "text that is denser than estimated",
      { inputTokens: 180_000, iterations: 2, resultTokens: 8000, shownTokens: 63_750 },
      94_000,
    ],
    // 20,000 and 180,000: the text of the request could not be much more.
    [
      "a result that is far larger than assumed",
      { inputTokens: 200_000, iterations: 2, resultTokens: 8000, shownTokens: 20_000 },
      168_000,
    ],
    [
      "no more than the text of the request leaves",
      { inputTokens: 404_500, iterations: 11, resultTokens: 200_000, shownTokens: 2500 },
      71_546,
    ],
  ])("MON-008 without a reported first iteration, %s", (_, summed, largest) => {
    expect(estimateLargestPrompt({ ...unknown, firstInput: null, ...summed }).tokens).toBe(largest);
  });

  it("MON-008 says how far it may be off", () => {
    const summed = { ...unknown, inputTokens: 308_000, iterations: 2, resultTokens: 8000 };
    expect(estimateLargestPrompt({ ...summed, firstInput: null })).toMatchObject({
      least: 154_000,
      most: 308_000,
    });
    const exact = estimateLargestPrompt({ ...summed, firstInput: 150_000 });
    expect(exact).toEqual({ tokens: 158_000, least: 158_000, most: 158_000 });
  });

  it("MON-008 never exceeds the context window", () => {
    const summed = { ...unknown, inputTokens: 390_000, iterations: 2, firstInput: 10 };
    expect(estimateLargestPrompt({ ...summed, contextWindow: 200_000 }).tokens).toBe(200_000);
  });

  it("MON-008 is between the possible minimum and maximum, for every growing loop", () => {
    const growth = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), growth, (first, grown) => {
        const iterations = [first];
        for (const more of grown) iterations.push((iterations.at(-1) ?? 0) + more);
        const inputTokens = iterations.reduce((sum, length) => sum + length, 0);
        const summed = { ...unknown, inputTokens, iterations: iterations.length };
        const { tokens: largest } = estimateLargestPrompt({ ...summed, firstInput: first });
        expect(largest).toBeGreaterThanOrEqual(Math.floor(inputTokens / iterations.length));
        expect(largest).toBeLessThanOrEqual(inputTokens - (iterations.length - 1) * first + 1);
        if (iterations.length === 2) expect(largest).toBe(iterations[1] ?? 0);
      }),
    );
  });
});
