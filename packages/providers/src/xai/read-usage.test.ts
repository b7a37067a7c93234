import { describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { outputTokens } from "@tollgate/core/money/usage";
import fc from "fast-check";
import { xai } from "./provider.ts";
import { readChatCost, readChatUsage, readResponsesCost } from "./read-usage.ts";

describe("xAI chat usage", () => {
  it("MON-007 bills reasoning even if completion_tokens excludes it", () => {
    // 20 + 4 + 150 = 174: output is 174 - 20 = 154, of which 150 are reasoning. 16 of the 20 came from the cache.
    const usage = readChatUsage({
      prompt_tokens: 20,
      completion_tokens: 4,
      total_tokens: 174,
      prompt_tokens_details: { text_tokens: 20, audio_tokens: 0, image_tokens: 0, cached_tokens: 16 },
      completion_tokens_details: { reasoning_tokens: 150, audio_tokens: 0 },
      num_sources_used: 0,
    });
    expect(usage).toEqual({ input: 4, cache_read: 16, output: 4, reasoning: 150 });
  });

  it("MON-007 counts reasoning once if completion_tokens includes it", () => {
    // 20 + 154 = 174: the same call under the other convention.
    const usage = readChatUsage({
      prompt_tokens: 20,
      completion_tokens: 154,
      total_tokens: 174,
      completion_tokens_details: { reasoning_tokens: 150 },
    });
    expect(usage).toEqual({ input: 20, output: 4, reasoning: 150 });
  });

  it("adds reasoning if the total is missing", () => {
    const usage = {
      prompt_tokens: 1,
      completion_tokens: 2,
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    expect(readChatUsage(usage)).toEqual({ input: 1, output: 2, reasoning: 3 });
  });

  it("is unknown without its counts", () => {
    for (const usage of [null, {}, { total_tokens: 9 }, { prompt_tokens: 1 }])
      expect(readChatUsage(usage)).toBeNull();
  });

  it("never bills less output than was reported, and never throws", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.nat(), (prompt, completion, total, reasoning) => {
        const usage = readChatUsage({
          prompt_tokens: prompt,
          completion_tokens: completion,
          total_tokens: total,
          completion_tokens_details: { reasoning_tokens: reasoning },
        });
        expect(usage === null ? -1 : outputTokens(usage)).toBe(Math.max(completion, total - prompt));
      }),
    );
  });
});

describe("xAI's billed amount", () => {
  const table: [unknown, number | null | undefined][] = [
    [1_466_250, 1466], // 1,466.25
    [500, 0], // 0.5, half to even
    [1500, 2], // 1.5
    [2500, 2], // 2.5
    [10_000_000_000, 10_000_000], // a dollar
    [undefined, undefined],
    [null, undefined],
    ["1466250", null],
    [-1, null],
    [1.5, null],
    [1e300, null],
  ];
  for (const [ticks, expected] of table)
    it(`${ticks} ticks are ${expected} microcents`, () => {
      expect(readChatCost({ cost_in_usd_ticks: ticks })?.amount as number | null | undefined).toBe(expected);
    });

  it("includes the fees of sources and tools, however they are counted", () => {
    const fees = (usage: object) => readChatCost({ cost_in_usd_ticks: 1, ...usage })?.fees;
    expect(fees({})).toBe(0);
    expect(fees({ num_sources_used: 30 })).toBe(30);
    expect(fees({ num_sources_used: 3, num_server_side_tools_used: 2 })).toBe(5);
    const details = { web_search_calls: 2, x_search_calls: 1, code_interpreter_calls: "?" };
    expect(fees({ num_server_side_tools_used: 3, server_side_tool_usage_details: details })).toBe(3);
    expect(fees({ server_side_tool_usage_details: details })).toBe(3);
  });

  it("MON-010 is missing if the totals are of several answers: nothing says whether they count all of them", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    const billOf = (choices: number, more: object = {}) => {
      const choice = (index: number) => ({ index, finish_reason: "stop" });
      const all = Array.from({ length: choices }, (_, index) => choice(index));
      const whole = xai.conversation.meter(choices);
      whole.readAnswer({ choices: all, usage: { ...usage, ...more } });
      const streamed = xai.conversation.meter(choices);
      for (const each of all) streamed.readFrame({ choices: [each] });
      streamed.readFrame({ choices: [], usage: { ...usage, ...more } });
      streamed.readFrame({ choices: [], usage: {} });
      const [plain, stream] = [whole, streamed].map(meter => {
        const { isBillUncertain = false, reportedCost } = meter.reading();
        return [isBillUncertain, reportedCost];
      });
      expect(stream).toEqual(plain);
      return plain;
    };
    expect(billOf(1)).toEqual([false, null]);
    expect(billOf(2)).toEqual([true, null]);
    expect(billOf(2, { cost_in_usd_ticks: 21_000 })).toEqual([false, microcents(21)]);
  });

  it("MON-010 is missing, not zero, if tools or sources without a price were used", () => {
    const sources = { num_sources_used: 5 };
    expect(readChatCost(sources)).toEqual({ amount: null, fees: 5 });
    expect(readResponsesCost(sources)).toEqual({ amount: null, fees: 5 });
    const tools = (details: object) => ({ num_sources_used: 0, server_side_tool_usage_details: details });
    const searches = tools({ web_search_calls: 2, x_search_calls: 1, mcp_calls: 0 });
    expect(readChatCost(searches)).toEqual({ amount: null, fees: 3 });
    expect(readResponsesCost(searches)).toBeNull();
    expect(readResponsesCost(tools({ newer_tool_calls: 1 }))).toEqual({ amount: null, fees: 1 });
    expect(readResponsesCost(tools({ web_search_calls: "2" }))).toEqual({ amount: null, fees: 0 });
  });
});
