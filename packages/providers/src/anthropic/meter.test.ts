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

  it("MON-006 is not certain of a bill whose split is uncertain", () => {
    const counts = { input_tokens: 10, output_tokens: 4 };
    const read = (tools: object) => readAnswer({ ...counts, server_tool_use: tools });
    expect(read({ image_search_requests: 1 })).toMatchObject({
      usage: { input: 10, output: 4 },
      isBillUncertain: true,
    });
    expect(read({ web_fetch_requests: 1 })).not.toHaveProperty("isBillUncertain");
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    ["text"],
    [{}],
    [{ input_tokens: 5 }],
    // Another model's usage is not readable, so the bill is not known.
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

describe("AnthropicMeter, models that decline and hand over", () => {
  const from = { model: "claude-fable-5" };
  const handover = { type: "fallback", from, to: { model: "claude-opus-4-8" }, trigger: { type: "refusal" } };
  const hop = (type: string, model: string, input_tokens: number, output_tokens: number) => ({
    type,
    model,
    input_tokens,
    output_tokens,
  });
  const usageOf = (begun: number, answered: number) => ({
    input_tokens: 460,
    output_tokens: answered,
    iterations: [
      hop("message", "claude-fable-5", 408, begun),
      hop("fallback_message", "claude-opus-4-8", 460, answered),
    ],
  });
  const some = { type: "text", text: "Some" };

  it("MON-016 their blocks are no content: a chain in which all decline at once is free", () => {
    const content = [handover, { ...handover, from: handover.to }];
    const refused = { content, stop_reason: "refusal" };
    expect(readAnswer(usageOf(0, 0), refused)).toMatchObject({ usage: {}, reportedCost: 0, outputBytes: 0 });
    expect(readAnswer(usageOf(50, 0), { ...refused, content: [some, handover] }).reportedCost).toBeNull();
  });

  it.each([
    ["cyber", { usage: {}, additional: [], reportedCost: 0 }],
    ["bio", { usage: {}, additional: [{ usage: { input: 408 } }], reportedCost: null }],
    [
      "of another name",
      { additional: [{ usage: { input: 408 } }], reportedCost: null, isBillUncertain: true },
    ],
  ])("MON-016 a handover before the first word is billed by its category: %s", (category, billed) => {
    const content = [{ ...handover, trigger: { type: "refusal", category } }];
    const reading = readAnswer(usageOf(0, 0), { content, stop_reason: "refusal" });
    expect(reading).toMatchObject(billed);
    expect(reading.isBillUncertain).toBe("isBillUncertain" in billed ? true : undefined);
  });

  it("MON-016 the text of a model that declined is its own, not that of the last model", () => {
    const begun = { usage: {}, outputBytes: 0, additional: [{ usage: { input: 408, output: 50 } }] };
    const refused = { content: [some, handover], stop_reason: "refusal" };
    expect(readAnswer(usageOf(50, 0), refused)).toMatchObject(begun);
    const answered = { content: [some, handover, { type: "text", text: "Yes." }], stop_reason: "end_turn" };
    expect(readAnswer(usageOf(50, 7), answered)).toMatchObject({
      usage: { input: 460, output: 7 },
      outputBytes: 4,
    });
    // Cut off: all of it is estimated.
    expect(readAnswer(undefined, answered)).toMatchObject({ usage: null, outputBytes: 8 });
  });
});

describe("AnthropicMeter, calls that executed code has made", () => {
  const caller = { type: "code_execution_20250825", tool_id: "srvtoolu_1" };
  const call = { type: "tool_use", id: "toolu_1", name: "f", caller };
  const result = { type: "code_execution_tool_result", tool_use_id: "srvtoolu_0", content: {} };
  const usage = {
    input_tokens: 0,
    output_tokens: 0,
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  };

  it("MON-010 are not the output of a model: an answer that has only them used nothing", () => {
    const content = [result, { ...call, input: { id: "customer_123" } }];
    expect(readAnswer(usage, { content, stop_reason: "tool_use" })).toMatchObject({
      usage: {},
      outputBytes: 0,
    });
    const direct = { ...call, input: { id: 1 }, caller: { type: "direct" } };
    expect(readAnswer(usage, { content: [...content, direct] }).outputBytes).toBe(8);
  });

  it("MON-010 MON-018 are not counted in a stream either, block by block", () => {
    const meter = new AnthropicMeter();
    const write = (index: number, content_block: object) => {
      meter.readFrame({ type: "content_block_start", index, content_block: { ...content_block, input: {} } });
      const delta = { type: "input_json_delta", partial_json: '{"id":1}' };
      meter.readFrame({ type: "content_block_delta", index, delta });
    };
    write(0, call);
    expect(meter.reading().outputBytes).toBe(0);
    write(1, { ...call, caller: { type: "direct" } });
    expect(meter.reading().outputBytes).toBe(8);
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

  it("MON-005 uses a message_start that has a stop reason as the whole answer: no message_delta follows", () => {
    const block = { type: "tool_use", input: { a: 1 } };
    const start = (stop_reason: string | null, content: object[]) => {
      const meter = new AnthropicMeter();
      const usage = { input_tokens: 100, output_tokens: 40 };
      meter.readFrame({ type: "message_start", message: { model: "m", content, stop_reason, usage } });
      return meter;
    };
    const whole = start("tool_use", [block]);
    whole.readFrame({ type: "message_stop" });
    expect(whole.reading()).toMatchObject({ usage: { input: 100, output: 40 }, outputBytes: 7 });
    expect(start("end_turn", []).reading().usage).toEqual({ input: 100, output: 40 });
    expect(start(null, [block]).reading()).toMatchObject({
      usage: null,
      partial: { input: 100 },
      outputBytes: 7,
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
