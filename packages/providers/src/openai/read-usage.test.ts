import { describe, expect, it } from "bun:test";
import { inputTokens, outputTokens, type Usage } from "@tollgate/core/money/usage";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import fc from "fast-check";
import { countTools, readResponsesUsage } from "./read-responses-usage.ts";
import { hasUnreadablePart, readChatUsage } from "./read-usage.ts";

const cases: { name: string; usage: unknown; expected: Usage | null }[] = [
  {
    name: "plain",
    usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
    expected: { input: 19, output: 10 },
  },
  {
    // 2,048 prompt tokens, of which 1,920 were read from the cache: 128 at the input rate.
    name: "MON-006 a cached token is not charged again as input",
    usage: {
      prompt_tokens: 2048,
      completion_tokens: 7,
      total_tokens: 2055,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
    },
    expected: { input: 128, cache_read: 1920, output: 7 },
  },
  {
    // 5,000 = 1,000 read + 3,500 written + 500 plain.
    name: "MON-006 cache writes are part of the prompt count and subtracted from it",
    usage: {
      prompt_tokens: 5000,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 3500 },
    },
    expected: { input: 500, cache_read: 1000, cache_write: 3500, output: 1 },
  },
  {
    // 900 completion tokens: 640 reasoning, 260 text. Rejected predictions (40) are part of the text.
    name: "MON-007 reasoning is part of the completion",
    usage: {
      prompt_tokens: 50,
      completion_tokens: 900,
      completion_tokens_details: { reasoning_tokens: 640, audio_tokens: 0, rejected_prediction_tokens: 40 },
    },
    expected: { input: 50, output: 260, reasoning: 640 },
  },
  {
    // In: 53 = 37 audio + 16 text. Out: 120 = 90 audio + 30 text.
    name: "MON-007 audio is part of the totals and has its own price",
    usage: {
      prompt_tokens: 53,
      completion_tokens: 120,
      prompt_tokens_details: { audio_tokens: 37, cached_tokens: 0 },
      completion_tokens_details: { audio_tokens: 90, reasoning_tokens: 0 },
    },
    expected: { input: 16, input_audio: 37, output: 30, output_audio: 90 },
  },
  {
    // 100 = 40 text + 60 audio; 64 cached: the 40 text first, then 24 audio; 36 audio remain.
    name: "cached tokens are text first, then audio",
    usage: {
      prompt_tokens: 100,
      completion_tokens: 0,
      prompt_tokens_details: { audio_tokens: 60, cached_tokens: 64 },
    },
    expected: { cache_read: 40, cache_read_audio: 24, input_audio: 36 },
  },
  {
    name: "parts that claim more than their whole are cut down to it",
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 12, cache_write_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 9 },
    },
    expected: { cache_read: 10, reasoning: 5 },
  },
  { name: "no completion count", usage: { prompt_tokens: 10 }, expected: null },
  {
    name: "a count that is no whole number",
    usage: { prompt_tokens: 1.5, completion_tokens: 1 },
    expected: null,
  },
  { name: "null", usage: null, expected: null },
  { name: "a list", usage: [1, 2], expected: null },
];

describe("readChatUsage", () => {
  for (const { name, usage, expected } of cases)
    it(name, () => {
      expect(readChatUsage(usage)).toEqual(expected);
    });

  it("MON-006 MON-007 counts every token exactly once, for any details", () => {
    const count = fc.nat(1_000_000);
    fc.assert(
      fc.property(count, count, count, count, count, count, count, (prompt, completion, a, b, c, d, e) => {
        const usage = readChatUsage({
          prompt_tokens: prompt,
          completion_tokens: completion,
          prompt_tokens_details: { cached_tokens: a, cache_write_tokens: b, audio_tokens: c },
          completion_tokens_details: { reasoning_tokens: d, audio_tokens: e },
        });
        expect(usage === null ? null : inputTokens(usage)).toBe(prompt);
        expect(usage === null ? null : outputTokens(usage)).toBe(completion);
      }),
    );
  });

  it("MON-007 is not certain of reasoning that the total does not include", () => {
    const isUncertain = (total_tokens: number | undefined, reasoning_tokens: number) =>
      hasUnreadablePart({
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens,
        completion_tokens_details: { reasoning_tokens },
      });
    expect(isUncertain(120, 20)).toBe(false);
    expect(isUncertain(120, 21)).toBe(true);
    // xAI counts it beside the completion.
    expect(isUncertain(420, 300)).toBe(false);
    expect(isUncertain(undefined, 300)).toBe(false);
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.jsonValue(), value => void readChatUsage(value)));
  });
});

describe("readResponsesUsage", () => {
  const read = (response: JsonObject) => readResponsesUsage(response, countTools(response));

  it("MON-006 MON-007 subtracts cache and reasoning from the totals", () => {
    // 340 in = 128 read + 200 written + 12 plain; 105 out = 83 reasoning + 22 text.
    const usage = read({
      usage: {
        input_tokens: 340,
        input_tokens_details: { cached_tokens: 128, cache_write_tokens: 200 },
        output_tokens: 105,
        output_tokens_details: { reasoning_tokens: 83 },
        total_tokens: 445,
      },
    });
    expect(usage).toEqual({ input: 12, cache_read: 128, cache_write: 200, output: 22, reasoning: 83 });
  });

  it("MON-006 tells writes of 12 hours from those of 30 minutes", () => {
    const ofWrites = (details: unknown) => ({
      input_tokens: 340,
      input_tokens_details: {
        cached_tokens: 0,
        cache_write_tokens: 300,
        cache_write_tokens_details: details,
      },
      output_tokens: 5,
    });
    const lifetimes = { ttl_30m_tokens: 100, ttl_12h_tokens: 200 };
    const split = { input: 40, cache_write: 100, cache_write_1h: 200, output: 5 };
    expect(read({ usage: ofWrites(lifetimes) })).toEqual(split);
    expect(hasUnreadablePart(ofWrites(lifetimes))).toBe(false);
    expect(hasUnreadablePart(ofWrites({ ...lifetimes, ttl_48h_tokens: 0 }))).toBe(false);
    expect(hasUnreadablePart(ofWrites(null))).toBe(false);
    expect(hasUnreadablePart(ofWrites({ ...lifetimes, ttl_48h_tokens: 1 }))).toBe(true);
    expect(hasUnreadablePart(ofWrites({ ...lifetimes, ttl_12h_tokens: "200" }))).toBe(true);
    expect(hasUnreadablePart(ofWrites({ ...lifetimes, ttl_12h_tokens: 201 }))).toBe(true);
    expect(hasUnreadablePart(ofWrites("12h"))).toBe(true);
    // More than all writes is reduced to them.
    expect(read({ usage: ofWrites({ ttl_12h_tokens: 400 }) })).toEqual({
      input: 40,
      cache_write_1h: 300,
      output: 5,
    });
  });

  it("counts OpenAI's searches, but not the pages that were opened afterwards", () => {
    const usage = read({
      usage: { input_tokens: 1, output_tokens: 1 },
      output: [
        { type: "web_search_call", action: { type: "search", query: "q" } },
        { type: "web_search_call", action: { type: "open_page" } },
        { type: "web_search_call", action: { type: "find_in_page" } },
        { type: "web_search_call", action: { type: "find" } },
        { type: "web_search_call" },
        { type: "file_search_call" },
        { type: "message" },
        null,
      ],
    });
    expect(usage).toEqual({ input: 1, output: 1, web_searches: 2, file_searches: 1 });
  });

  it("reports unknown usage for a running response", () => {
    expect(read({ status: "in_progress", usage: null, output: [] })).toBeNull();
  });
});
