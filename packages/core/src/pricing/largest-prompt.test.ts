import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { estimateLargestPrompt } from "./largest-prompt.ts";

describe("the largest of several iterations", () => {
  it.each([
    ["a single iteration is the sum", { inputTokens: 250_000, iterations: 1, firstInput: 0 }, 250_000],
    ["the second of two is the rest", { inputTokens: 310_000, iterations: 2, firstInput: 150_000 }, 160_000],
    // 404,500 ÷ 11 = 36,772.7 on average, from 2,479 to 71,066.5
    ["eleven that grow evenly", { inputTokens: 404_500, iterations: 11, firstInput: 2479 }, 71_067],
    ["the first is the largest", { inputTokens: 300_000, iterations: 3, firstInput: 180_000 }, 180_000],
    ["a first above the sum is ignored", { inputTokens: 100, iterations: 2, firstInput: 900 }, 100],
  ])("MON-008 %s", (_, summed, largest) => {
    expect(estimateLargestPrompt({ ...summed, contextWindow: null })).toBe(largest);
  });

  it("MON-008 never exceeds the context window", () => {
    const summed = { inputTokens: 390_000, iterations: 2, firstInput: 10 };
    expect(estimateLargestPrompt({ ...summed, contextWindow: 200_000 })).toBe(200_000);
  });

  it("MON-008 is between the possible minimum and maximum, for every growing loop", () => {
    const growth = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), growth, (first, grown) => {
        const iterations = [first];
        for (const more of grown) iterations.push((iterations.at(-1) ?? 0) + more);
        const inputTokens = iterations.reduce((sum, length) => sum + length, 0);
        const largest = estimateLargestPrompt({
          inputTokens,
          iterations: iterations.length,
          firstInput: first,
          contextWindow: null,
        });
        expect(largest).toBeGreaterThanOrEqual(Math.floor(inputTokens / iterations.length));
        expect(largest).toBeLessThanOrEqual(inputTokens - (iterations.length - 1) * first + 1);
        if (iterations.length === 2) expect(largest).toBe(iterations[1] ?? 0);
      }),
    );
  });
});
