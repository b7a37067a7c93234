import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { inputTokens, outputTokens, type Usage } from "../money/usage.ts";
import { usageOfCounts } from "./usage.ts";

describe("usageOfCounts", () => {
  for (const [what, counts, usage] of [
    ["totals alone", { input: 10, output: 5 }, { input: 10, output: 5 }],
    [
      "cached tokens included in the input",
      { input: 1000, output: 5, cacheRead: 900, cacheWrite: 60 },
      { input: 40, cache_read: 900, cache_write: 60, output: 5 },
    ],
    [
      "cached tokens separate from the input, as in a provider's raw numbers",
      { input: 10, output: 5, cacheRead: 900 },
      { input: 10, cache_read: 900, output: 5 },
    ],
    ["reasoning included in the output", { output: 50, reasoning: 30 }, { output: 20, reasoning: 30 }],
    ["reasoning separate from the output", { output: 5, reasoning: 30 }, { output: 5, reasoning: 30 }],
    [
      "audio that overlaps with the cache",
      { input: 100, cacheRead: 80, inputAudio: 50 },
      { cache_read: 80, input_audio: 20 },
    ],
    ["a cache read without a total", { cacheRead: 7 }, { cache_read: 7 }],
    ["a known zero", { input: 0, output: 0 }, {}],
  ] satisfies [string, Parameters<typeof usageOfCounts>[0], Usage][]) {
    it(`counts ${what}`, () => expect(usageOfCounts(counts)).toEqual(usage));
  }

  it("distinguishes unknown usage from zero", () => expect(usageOfCounts({ input: undefined })).toBeNull());

  it("keeps the totals if the parts fit into them: no token is counted twice, none is lost", () => {
    const count = fc.nat(1_000_000);
    fc.assert(
      fc.property(count, count, count, count, count, (fresh, read, write, answer, reasoning) => {
        const usage = usageOfCounts({
          input: fresh + read + write,
          cacheRead: read,
          cacheWrite: write,
          output: answer + reasoning,
          reasoning,
        });
        expect(usage && inputTokens(usage)).toBe(fresh + read + write);
        expect(usage && outputTokens(usage)).toBe(answer + reasoning);
      }),
    );
  });
});
