import { describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import fc from "fast-check";
import { xai } from "../xai/provider.ts";
import { openai } from "./provider.ts";

const chunk = (fields: object) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-4o-mini-2024-07-18",
  service_tier: "default",
  choices: [],
  usage: null,
  ...fields,
});

describe("chat meter", () => {
  it("MON-007 reads model, tier and usage from the answer, not from the request", () => {
    const meter = openai.conversation.meter();
    meter.readAnswer({
      id: "chatcmpl-9",
      model: "gpt-5.6-sol",
      service_tier: "priority",
      choices: [
        { message: { content: "né", refusal: null, tool_calls: [{ function: { arguments: "{}" } }] } },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 3 },
    });
    expect(meter.reading()).toEqual({
      servedModel: "gpt-5.6-sol",
      usage: { input: 5, output: 3 },
      additional: [],
      served: { serviceTier: "priority", speed: null, region: null },
      reportedCost: null,
      outputBytes: 5, // n, é (2), {, }
      responseId: "chatcmpl-9",
    });
  });

  it("MON-007 a part that is no count leaves the total, but not its price, certain", () => {
    const read = (details: unknown) => {
      const meter = openai.conversation.meter();
      const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: details };
      meter.readAnswer(chunk({ usage }));
      return meter.reading();
    };
    for (const details of [
      { audio_tokens: "80" },
      { cached_tokens: -1 },
      { cache_write_tokens: 0.5 },
      "none",
    ])
      expect(read(details)).toMatchObject({ usage: { input: 100, output: 5 }, isBillUncertain: true });
    for (const details of [undefined, null, {}, { audio_tokens: null, cached_tokens: 0, newer: "x" }])
      expect(read(details).isBillUncertain).toBeUndefined();
    // A part that is more than its whole.
    expect(read({ cached_tokens: 100 }).isBillUncertain).toBeUndefined();
    expect(read({ cached_tokens: 101 })).toMatchObject({ usage: { cache_read: 100 }, isBillUncertain: true });
    expect(
      read({ cached_tokens: 60, cache_write_tokens: 40, audio_tokens: 70 }).isBillUncertain,
    ).toBeUndefined();
    expect(read({ cached_tokens: 60, cache_write_tokens: 60 })).toMatchObject({ isBillUncertain: true });
  });

  it("MON-018 counts what is written to custom tools", () => {
    const meter = openai.conversation.meter();
    const call = (custom: object) => ({ index: 0, delta: { tool_calls: [{ index: 0, custom }] } });
    meter.readFrame(chunk({ choices: [call({ name: "py", input: "" })] }));
    meter.readFrame(chunk({ choices: [call({ input: "print(1)" })] }));
    expect(meter.reading().outputBytes).toBe(8);
  });

  it("MON-018 treats usage on every chunk as partial until the answer has finished", () => {
    const meter = xai.conversation.meter();
    const usage = (output: number) => ({
      prompt_tokens: 7,
      completion_tokens: output,
      cost_in_usd_ticks: 9000,
    });
    const delta = { index: 0, delta: { content: "a" } };
    meter.readFrame(chunk({ choices: [{ ...delta, finish_reason: null }], usage: usage(1) }));
    expect(meter.reading()).toMatchObject({
      usage: null,
      partial: { input: 7, output: 1 },
      reportedCost: null,
    });
    meter.readFrame(chunk({ choices: [{ ...delta, finish_reason: "stop" }], usage: usage(2) }));
    expect(meter.reading()).toMatchObject({ usage: { input: 7, output: 2 }, reportedCost: 9 });
  });

  it("MON-010 a usage without one of its totals keeps the other, and the rest is unknown", () => {
    const read = (usage: object) => {
      const meter = openai.conversation.meter();
      const choices = [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }];
      meter.readAnswer({ model: "gpt-4o-mini-search-preview", choices, usage });
      return meter.reading();
    };
    const details = { cached_tokens: 60 };
    expect(read({ prompt_tokens: 100, prompt_tokens_details: details, total_tokens: 120 })).toMatchObject({
      usage: null,
      partial: { input: 40, cache_read: 60, web_searches: 1 },
    });
    expect(read({ prompt_tokens: "100", completion_tokens: 20 })).toMatchObject({
      usage: null,
      partial: { output: 20, web_searches: 1 },
    });
  });

  it("MON-007 MON-018 counts the search of the requested model if the answer does not name its own, or was cut before", () => {
    for (const codec of [openai.conversation, openai.native["openai-chat"]]) {
      const cut = codec?.meter(1, "gpt-4o-search-preview");
      expect(cut?.reading()).toMatchObject({ usage: null, partial: { web_searches: 1 } });
      const whole = codec?.meter(1, "gpt-4o-search-preview");
      const choices = [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }];
      whole?.readAnswer({ choices, usage: { prompt_tokens: 10, completion_tokens: 5 } });
      expect(whole?.reading().usage).toEqual({ input: 10, output: 5, web_searches: 1 });
      const other = codec?.meter(1, "gpt-4o-search-preview");
      other?.readAnswer({
        model: "gpt-4o",
        choices,
        usage: { prompt_tokens: 10, completion_tokens: 5 },
      });
      expect(other?.reading().usage).toEqual({ input: 10, output: 5 });
    }
  });

  it("MON-010 an intermediate usage is not the final one if that cannot be read", () => {
    const meter = openai.conversation.meter();
    const delta = { index: 0, delta: { content: "Hi" }, finish_reason: "stop" };
    meter.readFrame({ choices: [delta], usage: { prompt_tokens: 100, completion_tokens: 1 } });
    meter.readFrame({ choices: [], usage: { prompt_tokens: "100", completion_tokens: "20" } });
    expect(meter.reading()).toMatchObject({ usage: null, partial: { input: 100, output: 1 } });
    meter.readFrame({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20 } });
    meter.readFrame({ choices: [], usage: {} });
    expect(meter.reading().usage).toEqual({ input: 100, output: 20 });
  });

  it("MON-010 an amount beside an intermediate usage is not the bill of the whole answer", () => {
    const meter = xai.conversation.meter();
    const usage = { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101, cost_in_usd_ticks: 2000 };
    meter.readFrame({ choices: [{ index: 0, delta: { content: "Hi" } }], usage });
    const last = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    meter.readFrame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: last });
    expect(meter.reading()).toMatchObject({ usage: { input: 100, output: 20 }, reportedCost: null });
    meter.readFrame({ choices: [], usage: { cost_in_usd_ticks: 21_000 } });
    expect(meter.reading().reportedCost).toBe(microcents(21));
  });

  it("MON-018 an amount is not the bill until the answer has finished, even without counts", () => {
    const meter = xai.conversation.meter();
    const delta = { index: 0, delta: { content: "Hi" } };
    meter.readFrame({ choices: [delta], usage: { cost_in_usd_ticks: 2000 } });
    expect(meter.reading().reportedCost).toBeNull();
    meter.readFrame({ choices: [{ ...delta, finish_reason: "stop" }] });
    expect(meter.reading().reportedCost).toBe(microcents(2));
  });

  it("MON-018 usage is partial until every requested answer has finished", () => {
    const meter = xai.conversation.meter(2);
    const usage = { prompt_tokens: 7, completion_tokens: 2 };
    const stopped = (index: number) => ({ index, delta: { content: "a" }, finish_reason: "stop" });
    meter.readFrame(chunk({ choices: [stopped(0)], usage }));
    expect(meter.reading()).toMatchObject({ usage: null, partial: { input: 7, output: 2 } });
    meter.readFrame(chunk({ choices: [stopped(1)], usage: { ...usage, completion_tokens: 4 } }));
    expect(meter.reading().usage).toEqual({ input: 7, output: 4 });
  });

  it("counts the bytes of text, refusal, reasoning and arguments of every choice of a stream", () => {
    const meter = openai.conversation.meter();
    const delta = (index: number, fields: object) => ({ index, delta: fields, finish_reason: null });
    meter.readFrame(chunk({ choices: [delta(0, { role: "assistant", content: "ab" })] }));
    meter.readFrame(chunk({ choices: [delta(1, { content: "c" })] }));
    meter.readFrame(chunk({ choices: [delta(0, { refusal: "de" })] }));
    meter.readFrame(chunk({ choices: [delta(0, { reasoning_content: "€" })] }));
    meter.readFrame(
      chunk({ choices: [delta(0, { tool_calls: [{ index: 0, function: { arguments: "{}" } }] })] }),
    );
    expect(meter.reading().outputBytes).toBe(2 + 1 + 2 + 3 + 2);
    expect(meter.reading().usage).toBeNull();
    meter.readFrame(chunk({ usage: { prompt_tokens: 8, completion_tokens: 4 } }));
    expect(meter.reading().usage).toEqual({ input: 8, output: 4 });
  });
});

describe("embeddings meter", () => {
  it("bills the input only, and reports null without usage", () => {
    const meter = openai.native["openai-embeddings"]?.meter();
    meter?.readAnswer({ object: "list", model: "text-embedding-3-small", data: [] });
    expect(meter?.reading().usage).toBeNull();
    meter?.readAnswer({ model: "text-embedding-3-small", usage: { prompt_tokens: 4, total_tokens: 4 } });
    expect(meter?.reading()).toMatchObject({ servedModel: "text-embedding-3-small", usage: { input: 4 } });
  });

  it("MON-010 treats a zero as a missing count", () => {
    const meter = openai.native["openai-embeddings"]?.meter();
    const data = [{ object: "embedding", index: 0, embedding: [1] }];
    meter?.readAnswer({ data, usage: { prompt_tokens: 0, total_tokens: 0 } });
    expect(meter?.reading().usage).toBeNull();
  });
});

it("no meter throws or invents usage on an unknown shape", () => {
  const meters = [openai, xai].flatMap(provider =>
    Object.values(provider.native).map(native => native.meter),
  );
  fc.assert(
    fc.property(fc.constantFrom(...meters), fc.jsonValue(), (open, json) => {
      const meter = open();
      meter.readAnswer(json);
      meter.readFrame(json);
      meter.readFrame({ choices: [json], usage: json, response: json, type: "x.delta", delta: json });
      expect(meter.reading().usage).toBeNull();
    }),
  );
});
