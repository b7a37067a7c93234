import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { longestPass } from "./longest-pass.ts";

describe("the longest of several passes", () => {
  it.each([
    ["one pass is all of it", { inputTokens: 250_000, passes: 1, firstInput: 0 }, 250_000],
    ["of two, the second is the rest", { inputTokens: 310_000, passes: 2, firstInput: 150_000 }, 160_000],
    // 404,500 ÷ 11 = 36,772.7 on average, from 2,479 to 71,066.5
    ["of eleven that grow evenly", { inputTokens: 404_500, passes: 11, firstInput: 2479 }, 71_067],
    ["a first that was the longest", { inputTokens: 300_000, passes: 3, firstInput: 180_000 }, 180_000],
    ["a first above the sum is no pass of it", { inputTokens: 100, passes: 2, firstInput: 900 }, 100],
  ])("MON-008 %s", (_, summed, longest) => {
    expect(longestPass({ ...summed, contextWindow: null })).toBe(longest);
  });

  it("MON-008 never fits less than the window holds into one pass", () => {
    const summed = { inputTokens: 390_000, passes: 2, firstInput: 10 };
    expect(longestPass({ ...summed, contextWindow: 200_000 })).toBe(200_000);
  });

  it("MON-008 is between the possible minimum and maximum, for every growing loop", () => {
    const growth = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), growth, (first, grown) => {
        const passes = [first];
        for (const more of grown) passes.push((passes.at(-1) ?? 0) + more);
        const inputTokens = passes.reduce((sum, length) => sum + length, 0);
        const longest = longestPass({
          inputTokens,
          passes: passes.length,
          firstInput: first,
          contextWindow: null,
        });
        expect(longest).toBeGreaterThanOrEqual(Math.floor(inputTokens / passes.length));
        expect(longest).toBeLessThanOrEqual(inputTokens - (passes.length - 1) * first + 1);
        if (passes.length === 2) expect(longest).toBe(passes[1] ?? 0);
      }),
    );
  });
});
