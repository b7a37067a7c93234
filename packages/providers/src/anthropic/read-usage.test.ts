import { describe, expect, it } from "bun:test";
import type { Usage } from "@tollgate/core/money/usage";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isSplitUncertain, readFallbackModel, readOtherModels, readUsage } from "./read-usage.ts";

const counts = { input_tokens: 10, output_tokens: 4 };

describe("readUsage", () => {
  it.each<[string, JsonObject, Usage]>([
    ["plain", { input_tokens: 10, output_tokens: 4 }, { input: 10, output: 4 }],
    [
      "MON-006 cache counts are separate from the input",
      // 10 fresh + 7,000 read + 300 written: 7,310 prompt tokens, each counted once
      { input_tokens: 10, cache_read_input_tokens: 7000, cache_creation_input_tokens: 300, output_tokens: 4 },
      { input: 10, cache_read: 7000, cache_write: 300, output: 4 },
    ],
    [
      "MON-006 writes are split by their lifetime",
      {
        input_tokens: 10,
        cache_creation_input_tokens: 300,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        output_tokens: 4,
      },
      { input: 10, cache_write: 100, cache_write_1h: 200, output: 4 },
    ],
    [
      "the split alone is enough",
      {
        input_tokens: 10,
        cache_creation_input_tokens: null,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        output_tokens: 4,
      },
      { input: 10, cache_write: 100, cache_write_1h: 200, output: 4 },
    ],
    [
      "MON-007 thinking is inside the output, and is counted once",
      // 44 = 11 text + 33 thinking
      { input_tokens: 10, output_tokens: 44, output_tokens_details: { thinking_tokens: 33 } },
      { input: 10, output: 11, reasoning: 33 },
    ],
    [
      "more thinking than output cannot be split",
      { input_tokens: 10, output_tokens: 4, output_tokens_details: { thinking_tokens: 5 } },
      { input: 10, output: 4 },
    ],
    [
      "searches are counted individually",
      {
        input_tokens: 10,
        output_tokens: 4,
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      },
      { input: 10, output: 4, web_searches: 2 },
    ],
    [
      "nulls of features that were not used are zeros",
      {
        input_tokens: 10,
        output_tokens: 4,
        cache_creation: null,
        server_tool_use: null,
        output_tokens_details: null,
        iterations: null,
      },
      { input: 10, output: 4 },
    ],
    [
      "the compaction iteration is added: the top level excludes it",
      // 600 + 60,000 in; 50 + 2,000 out: the sum over both iterations
      {
        input_tokens: 600,
        output_tokens: 50,
        iterations: [
          { type: "compaction", input_tokens: 60_000, output_tokens: 2000, cache_read_input_tokens: 0 },
          { type: "message", input_tokens: 600, output_tokens: 50 },
        ],
      },
      { input: 60_600, output: 2050 },
    ],
    [
      "a fallback is already included in the top level",
      {
        input_tokens: 600,
        output_tokens: 50,
        iterations: [
          { type: "message", model: "claude-opus-4-8", input_tokens: 600, output_tokens: 1 },
          { type: "fallback_message", model: "claude-sonnet-5", input_tokens: 600, output_tokens: 50 },
        ],
      },
      { input: 600, output: 50 },
    ],
  ])("%s", (_case, usage, expected) => {
    expect(readUsage(usage)).toEqual(expected);
  });

  it.each<[JsonObject]>([
    [{}],
    [{ input_tokens: 5 }],
    [{ output_tokens: 5 }],
    [{ input_tokens: "5", output_tokens: 5 }],
    [{ input_tokens: 5, output_tokens: -1 }],
    [{ input_tokens: 5, output_tokens: 1.5 }],
    [{ input_tokens: 5, output_tokens: 5, cache_read_input_tokens: "many" }],
    [{ input_tokens: 5, output_tokens: 5, iterations: [{ type: "compaction" }] }],
  ])("%j is unknown, not zero", usage => {
    expect(readUsage(usage)).toBeNull();
  });
});

describe("an answer of several models", () => {
  const declined = { type: "message", model: "claude-fable-5", input_tokens: 9000, output_tokens: 0 };
  const begun = { ...declined, output_tokens: 40 };
  const later = { type: "message", model: null, input_tokens: 10_000, output_tokens: 200 };
  const last = {
    type: "fallback_message",
    model: "claude-opus-4-8",
    input_tokens: 20_000,
    output_tokens: 500,
  };
  const usageWith = (...iterations: JsonObject[]) => ({
    input_tokens: 20_000,
    output_tokens: 500,
    server_tool_use: { web_search_requests: 3 },
    iterations,
  });

  it("has an advisor at its own model's rates, outside this model's totals", () => {
    const advisor = { type: "advisor_message", model: "claude-fable-5-1", cache_read_input_tokens: 5 };
    const usage = {
      ...counts,
      iterations: [
        { type: "message", ...counts },
        { ...advisor, input_tokens: 900, output_tokens: 70 },
      ],
    };
    expect(readUsage(usage)).toEqual({ input: 10, output: 4 });
    expect(readOtherModels(usage)).toEqual([
      { model: "claude-fable-5-1", usage: { input: 900, cache_read: 5, output: 70 } },
    ]);
    expect(readOtherModels({ ...counts, iterations: [advisor] })).toBeNull();
  });

  it.each([
    ["names the model that declined", declined, later],
    ["names the model that took over", { ...declined, model: null }, { ...later, model: last.model }],
  ])("counts every iteration of the model that took over, if it %s", (_case, first, second) => {
    const usage = usageWith(first, second, last);
    expect(readFallbackModel(usage)).toBe("claude-opus-4-8");
    // 10,000 + 20,000 in, 200 + 500 out; the searches are those of the whole answer
    expect(readUsage(usage)).toEqual({ input: 30_000, output: 700, web_searches: 3 });
    expect(readOtherModels(usage)).toEqual([]);
  });

  it("counts iterations after the model took over", () => {
    expect(readUsage(usageWith(last, later))).toEqual({ input: 30_000, output: 700, web_searches: 3 });
  });

  it("bills the requested model if it had begun to answer", () => {
    expect(readOtherModels(usageWith(begun, last))).toEqual([
      { model: "claude-fable-5", usage: { input: 9000, output: 40 } },
    ]);
    expect(readOtherModels(usageWith({ ...begun, model: null }, last))).toBeNull();
  });

  it("MON-016 does not bill the last model either, if it declined before any output", () => {
    const refused = { ...last, output_tokens: 0 };
    const usage = usageWith(begun, refused);
    expect(readUsage(usage, true)).toEqual({ web_searches: 3 });
    expect(readOtherModels(usage)).toEqual([{ model: "claude-fable-5", usage: { input: 9000, output: 40 } }]);
    // An empty answer is not a refusal, and a tool loop that ends with one has begun.
    expect(readUsage(usage)).toEqual({ input: 20_000, web_searches: 3 });
    const looped = { ...later, model: last.model };
    expect(readUsage(usageWith(begun, looped, refused), true)).toMatchObject({ input: 30_000, output: 200 });
    expect(readUsage({ ...counts, iterations: [declined] }, true)).toEqual({ input: 10, output: 4 });
  });

  it("MON-016 bills a model that declined before any output if its handover is", () => {
    const other = { ...last, model: "claude-sonnet-5", input_tokens: 7000, output_tokens: 0 };
    const chain = usageWith(declined, other, last);
    const ofRequested = { model: "claude-fable-5", usage: { input: 9000 } };
    const ofOther = { model: "claude-sonnet-5", usage: { input: 7000 } };
    expect(readOtherModels(chain, ["billed", "free"])).toEqual([ofRequested]);
    expect(readOtherModels(chain, ["free", "billed"])).toEqual([ofOther]);
    expect(readOtherModels(chain, ["unknown", "unknown"])).toEqual([ofRequested, ofOther]);
    expect(readOtherModels(chain, ["free", "free"])).toEqual([]);
    // The loop of the model that took over does not count as another one.
    const looped = usageWith(declined, { ...later, model: last.model }, last);
    expect(readOtherModels(looped, ["billed"])).toEqual([ofRequested]);
  });

  it("is answered by the last of several models that took over", () => {
    const other = { ...last, model: "claude-sonnet-5", input_tokens: 7000 };
    const silent = usageWith(declined, { ...other, output_tokens: 0 }, last);
    expect(readUsage(silent)).toEqual({ input: 20_000, output: 500, web_searches: 3 });
    expect(readOtherModels(silent)).toEqual([]);
    expect(readOtherModels(usageWith(declined, { ...other, output_tokens: 20 }, last))).toEqual([
      { model: "claude-sonnet-5", usage: { input: 7000, output: 20 } },
    ]);
  });
});

describe("isSplitUncertain", () => {
  it("is true if the credit of a refusal was redeemed, so that cache writes are billed as reads", () => {
    const writes = { input_tokens: 100, cache_creation_input_tokens: 1000, output_tokens: 9 };
    const credit = (type: string) => ({ ...writes, fallback_credit: { status: { type } } });
    expect(readUsage(credit("redeemed"))).toEqual({ input: 100, cache_read: 1000, output: 9 });
    expect(isSplitUncertain(credit("redeemed"))).toBe(true);
    expect(readUsage(credit("not_applied"))).toEqual({ input: 100, cache_write: 1000, output: 9 });
    expect(isSplitUncertain(credit("not_applied"))).toBe(false);
  });

  it("is true if the parts of the cache writes are more than their total", () => {
    const writes = (total: number | null, short: number, long: number) => ({
      ...counts,
      cache_creation_input_tokens: total,
      cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
    });
    expect(readUsage(writes(300, 0, 500))).toEqual({ input: 10, cache_write_1h: 300, output: 4 });
    expect(isSplitUncertain(writes(300, 0, 500))).toBe(true);
    expect(readUsage(writes(300, 200, 200))).toMatchObject({ cache_write: 100 });
    expect(isSplitUncertain(writes(300, 200, 200))).toBe(true);
    for (const total of [300, 400, null]) expect(isSplitUncertain(writes(total, 100, 200))).toBe(false);
    const compaction = { ...writes(1, 0, 2), type: "compaction" };
    expect(isSplitUncertain({ ...writes(300, 100, 200), iterations: [compaction] })).toBe(true);
  });

  it("MON-006 is true for cache writes of an unknown lifetime", () => {
    const writes = (split: object) => ({
      ...counts,
      cache_creation_input_tokens: 30,
      cache_creation: split,
    });
    const unknown = writes({ ephemeral_24h_input_tokens: 30 });
    expect(readUsage(unknown)).toEqual({ input: 10, cache_write: 30, output: 4 });
    expect(isSplitUncertain(unknown)).toBe(true);
    const known = { ephemeral_5m_input_tokens: 30, ephemeral_24h_input_tokens: 0 };
    expect(isSplitUncertain(writes(known))).toBe(false);
  });

  it("MON-006 is true for iterations of an unknown kind", () => {
    const iterations = (...types: string[]) => ({
      ...counts,
      iterations: types.map(type => ({ ...counts, type })),
    });
    expect(isSplitUncertain(iterations("message", "critic_message"))).toBe(true);
    expect(isSplitUncertain(iterations("message", "compaction"))).toBe(false);
  });

  it("MON-006 is true if a server tool was used whose fee is not known", () => {
    const uses = (tools: object) => ({ ...counts, server_tool_use: tools });
    for (const unknown of [1, "1"]) {
      const usage = uses({ web_search_requests: 2, image_search_requests: unknown });
      expect(readUsage(usage)).toEqual({ input: 10, output: 4, web_searches: 2 });
      expect(isSplitUncertain(usage)).toBe(true);
    }
    const known = {
      web_search_requests: 1,
      web_fetch_requests: 2,
      tool_search_requests: 3,
      code_execution_requests: 4,
      image_search_requests: 0,
    };
    expect(isSplitUncertain(uses(known))).toBe(false);
    const advisor = { ...uses({ image_search_requests: 1 }), type: "advisor_message", model: "m" };
    expect(isSplitUncertain({ ...counts, iterations: [advisor] })).toBe(true);
  });
});
