import { describe, expect, it } from "bun:test";
import type { Usage } from "@tollgate/core/money/usage";
import fc from "fast-check";
import { AnthropicMeter } from "./meter.ts";

function readAnswer(usage: unknown, more: object = {}) {
  const meter = new AnthropicMeter();
  meter.readAnswer({ id: "msg_1", model: "claude-opus-4-8", content: [], usage, ...more });
  return meter.reading();
}

function readStream(startUsage: unknown, ...deltaUsages: unknown[]) {
  const meter = new AnthropicMeter();
  meter.readFrame({
    type: "message_start",
    message: { id: "msg_1", model: "claude-opus-4-8", usage: startUsage },
  });
  for (const usage of deltaUsages) meter.readFrame({ type: "message_delta", delta: {}, usage });
  return meter.reading();
}

describe("AnthropicMeter, whole answers", () => {
  it.each<[string, object, Usage]>([
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
    expect(readAnswer(usage).usage).toEqual(expected);
  });

  it("bills an advisor at its own model's rates, outside this model's totals", () => {
    const { usage, additional } = readAnswer({
      input_tokens: 600,
      output_tokens: 50,
      iterations: [
        { type: "message", input_tokens: 600, output_tokens: 50 },
        {
          type: "advisor_message",
          model: "claude-fable-5-1",
          input_tokens: 900,
          output_tokens: 70,
          cache_read_input_tokens: 5,
        },
      ],
    });
    expect(usage).toEqual({ input: 600, output: 50 });
    expect(additional).toEqual([
      { model: "claude-fable-5-1", usage: { input: 900, cache_read: 5, output: 70 } },
    ]);
  });

  it("reports the fallback model that answered", () => {
    const iterations = [
      { type: "fallback_message", model: "claude-sonnet-5", input_tokens: 1, output_tokens: 1 },
    ];
    expect(readAnswer({ input_tokens: 1, output_tokens: 1, iterations }).servedModel).toBe("claude-sonnet-5");
    expect(readAnswer({ input_tokens: 1, output_tokens: 1 })).toMatchObject({
      servedModel: "claude-opus-4-8",
      responseId: "msg_1",
    });
  });

  it("counts every iteration of the model that took over, and the searches of the whole answer", () => {
    const declined = { type: "message", model: "claude-fable-5", input_tokens: 9000, output_tokens: 0 };
    const later = { type: "message", model: null, input_tokens: 10_000, output_tokens: 200 };
    const last = {
      type: "fallback_message",
      model: "claude-opus-4-8",
      input_tokens: 20_000,
      output_tokens: 500,
    };
    const read = (iterations: readonly object[]) =>
      readAnswer({
        input_tokens: 20_000,
        output_tokens: 500,
        server_tool_use: { web_search_requests: 3 },
        iterations,
      });
    const named = { ...later, model: "claude-opus-4-8" };
    for (const iterations of [
      [declined, later, last],
      [{ ...declined, model: null }, named, last],
    ]) {
      expect(read(iterations)).toMatchObject({
        servedModel: "claude-opus-4-8",
        usage: { input: 30_000, output: 700, web_searches: 3 },
        additional: [],
      });
    }
    // It had begun to answer, and is billed for that.
    const begun = { ...declined, output_tokens: 40 };
    expect(read([begun, last]).additional).toEqual([
      { model: "claude-fable-5", usage: { input: 9000, output: 40 } },
    ]);
    expect(read([{ ...begun, model: null }, last]).usage).toBeNull();
    // Of several that took over, only the last answered.
    const other = { ...last, model: "claude-sonnet-5", input_tokens: 7000 };
    expect(read([declined, { ...other, output_tokens: 0 }, last])).toMatchObject({
      usage: { input: 20_000, output: 500, web_searches: 3 },
      additional: [],
    });
    expect(read([declined, { ...other, output_tokens: 20 }, last]).additional).toEqual([
      { model: "claude-sonnet-5", usage: { input: 7000, output: 20 } },
    ]);
    expect(read([last, later]).usage).toEqual({ input: 30_000, output: 700, web_searches: 3 });
  });

  it("bills writes to the cache as reads if a refusal's credit was redeemed, without being certain", () => {
    const usage = { input_tokens: 100, cache_creation_input_tokens: 1000, output_tokens: 9 };
    const read = (type: string) => readAnswer({ ...usage, fallback_credit: { status: { type } } });
    expect(read("redeemed")).toMatchObject({
      usage: { input: 100, cache_read: 1000, output: 9 },
      isBillUncertain: true,
    });
    expect(read("not_applied").usage).toEqual({ input: 100, cache_write: 1000, output: 9 });
    expect(read("not_applied")).not.toHaveProperty("isBillUncertain");
  });

  it("is not certain of cache writes whose parts are more than their total", () => {
    const read = (total: number | null, short: number, long: number, more = {}) =>
      readAnswer({
        input_tokens: 10,
        cache_creation_input_tokens: total,
        cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
        output_tokens: 4,
        ...more,
      });
    expect(read(300, 0, 500)).toMatchObject({ usage: { cache_write_1h: 300 }, isBillUncertain: true });
    expect(read(300, 200, 200)).toMatchObject({ usage: { cache_write: 100 }, isBillUncertain: true });
    for (const total of [300, 400, null]) expect(read(total, 100, 200)).not.toHaveProperty("isBillUncertain");
    const compaction = {
      type: "compaction",
      input_tokens: 10,
      cache_creation_input_tokens: 1,
      cache_creation: { ephemeral_1h_input_tokens: 2 },
      output_tokens: 4,
    };
    expect(read(300, 100, 200, { iterations: [compaction] })).toHaveProperty("isBillUncertain", true);
  });

  it("MON-006 is not certain of cache writes or iterations of an unknown kind", () => {
    const counts = { input_tokens: 10, output_tokens: 4 };
    const writes = (split: object) =>
      readAnswer({ ...counts, cache_creation_input_tokens: 30, cache_creation: split });
    expect(writes({ ephemeral_24h_input_tokens: 30 })).toMatchObject({
      usage: { input: 10, cache_write: 30, output: 4 },
      isBillUncertain: true,
    });
    const known = { ephemeral_5m_input_tokens: 30, ephemeral_24h_input_tokens: 0 };
    expect(writes(known)).not.toHaveProperty("isBillUncertain");
    const iterations = (...types: string[]) =>
      readAnswer({ ...counts, iterations: types.map(type => ({ ...counts, type })) });
    expect(iterations("message", "critic_message")).toHaveProperty("isBillUncertain", true);
    expect(iterations("message", "compaction")).not.toHaveProperty("isBillUncertain");
  });

  it("MON-006 is not certain of the bill if a server tool was used whose fee is not known", () => {
    const counts = { input_tokens: 10, output_tokens: 4 };
    const uses = (tools: object) => readAnswer({ ...counts, server_tool_use: tools });
    for (const unknown of [1, "1"]) {
      expect(uses({ web_search_requests: 2, image_search_requests: unknown })).toMatchObject({
        usage: { input: 10, output: 4, web_searches: 2 },
        isBillUncertain: true,
      });
    }
    const known = {
      web_search_requests: 1,
      web_fetch_requests: 2,
      tool_search_requests: 3,
      code_execution_requests: 4,
      image_search_requests: 0,
    };
    expect(uses(known)).not.toHaveProperty("isBillUncertain");
    const advisor = { ...counts, type: "advisor_message", model: "claude-opus-4-6" };
    const iterations = [{ ...advisor, server_tool_use: { image_search_requests: 1 } }];
    expect(readAnswer({ ...counts, iterations })).toHaveProperty("isBillUncertain", true);
  });

  it("MON-007 reads the service conditions from the answer", () => {
    const served = { service_tier: "priority", speed: "fast", inference_geo: "us" };
    expect(readAnswer({ input_tokens: 1, output_tokens: 1, ...served }).served).toEqual({
      serviceTier: "priority",
      speed: "fast",
      region: "us",
    });
    expect(
      readAnswer({ input_tokens: 1, output_tokens: 1, inference_geo: "not_available" }).served.region,
    ).toBeNull();
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    ["text"],
    [{}],
    [{ input_tokens: 5 }],
    [{ output_tokens: 5 }],
    [{ input_tokens: "5", output_tokens: 5 }],
    [{ input_tokens: 5, output_tokens: -1 }],
    [{ input_tokens: 5, output_tokens: 1.5 }],
    [{ input_tokens: 5, output_tokens: 5, cache_read_input_tokens: "many" }],
    [{ input_tokens: 5, output_tokens: 5, iterations: [{ type: "compaction" }] }],
    [{ input_tokens: 5, output_tokens: 5, iterations: [{ type: "advisor_message", model: "m" }] }],
  ])("usage %j is unknown, not zero", usage => {
    expect(readAnswer(usage).usage).toBeNull();
  });

  it("counts the bytes of text, thinking and arguments", () => {
    const content = [
      { type: "text", text: "né" }, // 3
      { type: "thinking", thinking: "hm" }, // 2
      { type: "tool_use", input: { a: 1 } }, // {"a":1} is 7
    ];
    expect(readAnswer(undefined, { content }).outputBytes).toBe(12);
  });
});

describe("AnthropicMeter, streams", () => {
  it("GW-020 the last usage replaces the first, and is never added to it", () => {
    const start = {
      input_tokens: 2037,
      output_tokens: 1,
      cache_read_input_tokens: 0,
      service_tier: "standard",
    };
    const end = { input_tokens: 15_665, output_tokens: 300, cache_read_input_tokens: 6289 };
    const reading = readStream(start, end);
    expect(reading.usage).toEqual({ input: 15_665, cache_read: 6289, output: 300 });
    expect(reading.served.serviceTier).toBe("standard");
    expect(reading).not.toHaveProperty("partial");
  });

  it("MON-018 keeps a reported output if the input was never reported", () => {
    const details = { thinking_tokens: 20 };
    const reading = readStream(undefined, { output_tokens: 50, output_tokens_details: details });
    expect(reading).toMatchObject({
      usage: null,
      partial: { output: 30, reasoning: 20 },
      isInputMissing: true,
    });
  });

  it("keeps what the last usage does not repeat", () => {
    const start = {
      input_tokens: 10,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 3,
      output_tokens: 1,
    };
    const expected: Usage = { input: 10, cache_read: 7, cache_write: 3, output: 5 };
    expect(readStream(start, { output_tokens: 5 }).usage).toEqual(expected);
    expect(readStream(start, { output_tokens: 5, input_tokens: null }).usage).toEqual(expected);
    expect(readStream(start, { output_tokens: 2 }, { output_tokens: 5 }).usage).toEqual(expected);
  });

  it("MON-006 counts writes beyond the first split as five-minute writes", () => {
    // 3,000 at the start, 1,000 of them for an hour; 3,400 at the end: 1,000 stay, 2,400 are five-minute writes
    const start = {
      input_tokens: 10,
      cache_creation_input_tokens: 3000,
      cache_creation: { ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 1000 },
      output_tokens: 1,
    };
    expect(readStream(start, { output_tokens: 5, cache_creation_input_tokens: 3400 }).usage).toEqual({
      input: 10,
      cache_write: 2400,
      cache_write_1h: 1000,
      output: 5,
    });
  });

  it("knows the input, and only the input, of a stream that was cut off", () => {
    const start = { input_tokens: 10, cache_read_input_tokens: 7, output_tokens: 22 };
    for (const reading of [readStream(start), readStream(start, {}), readStream(start, null)]) {
      expect(reading.usage).toBeNull();
      expect(reading.partial).toEqual({ input: 10, cache_read: 7 });
    }
    expect(readStream(undefined)).not.toHaveProperty("partial");
  });

  it("reads the advisor and the compaction iteration from the raw last event", () => {
    const iterations = [
      { type: "compaction", input_tokens: 100, output_tokens: 10 },
      { type: "advisor_message", model: "m", input_tokens: 1, output_tokens: 2 },
    ];
    const reading = readStream({ input_tokens: 5, output_tokens: 1 }, { output_tokens: 6, iterations });
    expect(reading.usage).toEqual({ input: 105, output: 16 });
    expect(reading.additional).toEqual([{ model: "m", usage: { input: 1, output: 2 } }]);
  });

  it("counts the same bytes for any chunking, and never throws", () => {
    const pieces = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 8 });
    fc.assert(
      fc.property(pieces, fc.jsonValue(), (texts, junk) => {
        const meter = new AnthropicMeter();
        meter.readFrame(junk);
        meter.readFrame({ type: "message_start", message: junk });
        meter.readFrame({ type: "content_block_start", content_block: junk === null ? null : [] });
        for (const text of texts)
          meter.readFrame({ type: "content_block_delta", delta: { type: "text_delta", text } });
        meter.readFrame({ type: "message_delta", usage: { output_tokens: junk, iterations: junk } });
        expect(meter.reading().outputBytes).toBe(Buffer.byteLength(texts.join("")));
      }),
    );
  });
});

it("AnthropicMeter ignores everything after message_stop: the bill does not depend on packet boundaries", () => {
  const message = (input_tokens: number) => [
    { type: "message_start", message: { id: `msg_${input_tokens}`, model: "m", usage: { input_tokens } } },
    { type: "content_block_start", content_block: { type: "text", text: "abc" } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: input_tokens } },
    { type: "message_stop" },
  ];
  const meter = new AnthropicMeter();
  for (const frame of message(7)) meter.readFrame(frame);
  const settled = meter.reading();
  for (const frame of message(900)) meter.readFrame(frame);
  expect(settled).toMatchObject({ usage: { input: 7, output: 7 }, responseId: "msg_7", outputBytes: 3 });
  expect(meter.reading()).toEqual(settled);
});
