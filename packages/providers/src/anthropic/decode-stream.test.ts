import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { answerToolName } from "../answer-tool.ts";
import type { AnswerEvent } from "../canonical/answer.ts";
import { AnthropicStreamDecoder } from "./decode-stream.ts";

const start = {
  type: "message_start",
  message: {
    id: "msg_1",
    model: "claude-opus-4-8",
    content: [],
    usage: { input_tokens: 3, output_tokens: 1 },
  },
};
const open = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, body: object) => ({ type: "content_block_delta", index, delta: body });
const close = (index: number) => ({ type: "content_block_stop", index });
const stop = (stop_reason: string, more: object = {}) => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null, ...more },
  usage: { output_tokens: 9 },
});
const end = { type: "message_stop" };

function decode(...frames: unknown[]): AnswerEvent[] {
  const decoder = new AnthropicStreamDecoder();
  return [...frames.flatMap(frame => decoder.decode(frame)), ...decoder.end()];
}

describe("AnthropicStreamDecoder", () => {
  it("GW-019 takes the stop reason from the start if no message_delta follows", () => {
    const whole = { ...start.message, stop_reason: "max_tokens", stop_sequence: null };
    expect(
      decode({ ...start, message: whole }, open(0, { type: "text", text: "hi" }), close(0), end),
    ).toEqual([
      { kind: "start", id: "msg_1", model: "claude-opus-4-8" },
      { kind: "text", text: "hi" },
      { kind: "finish", finish: "length" },
    ]);
  });

  it("GW-019 distinguishes thinking, text and calls, and numbers the calls separately", () => {
    expect(
      decode(
        start,
        { type: "ping" },
        open(0, { type: "thinking", thinking: "", signature: "" }),
        delta(0, { type: "thinking_delta", thinking: "hm" }),
        delta(0, { type: "thinking_delta", thinking: "" }),
        delta(0, { type: "signature_delta", signature: "sig" }),
        close(0),
        open(1, { type: "redacted_thinking", data: "xyz" }),
        close(1),
        open(2, { type: "text", text: "" }),
        delta(2, { type: "text_delta", text: "hi" }),
        delta(2, { type: "citations_delta", citation: {} }),
        close(2),
        open(3, { type: "tool_use", id: "toolu_a", name: "f", input: {}, caller: { type: "direct" } }),
        delta(3, { type: "input_json_delta", partial_json: "" }),
        delta(3, { type: "input_json_delta", partial_json: '{"a"' }),
        delta(3, { type: "input_json_delta", partial_json: ":1}" }),
        close(3),
        open(4, { type: "tool_use", id: "toolu_b", name: "g", input: {} }),
        delta(4, { type: "input_json_delta", partial_json: "" }),
        close(4),
        stop("tool_use"),
        end,
      ),
    ).toEqual([
      { kind: "start", id: "msg_1", model: "claude-opus-4-8" },
      { kind: "reasoning", text: "hm" },
      { kind: "reasoning_signature", signature: "sig" },
      { kind: "redacted_reasoning", data: "xyz" },
      { kind: "text", text: "hi" },
      { kind: "tool_start", index: 0, id: "toolu_a", name: "f" },
      { kind: "tool_arguments", index: 0, fragment: '{"a"' },
      { kind: "tool_arguments", index: 0, fragment: ":1}" },
      { kind: "tool_start", index: 1, id: "toolu_b", name: "g" },
      { kind: "tool_arguments", index: 1, fragment: "{}" },
      { kind: "finish", finish: "tool_calls" },
    ]);
  });

  it("unwraps the answer tool into text, and reports that the model stopped", () => {
    const frames = [
      start,
      open(0, { type: "tool_use", id: "toolu_a", name: answerToolName, input: {} }),
      delta(0, { type: "input_json_delta", partial_json: '{"a":1}' }),
      close(0),
      stop("tool_use"),
      end,
    ];
    expect(decode(...frames).slice(1)).toEqual([
      { kind: "text", text: '{"a":1}' },
      { kind: "finish", finish: "stop" },
    ]);
  });

  it("reports a refusal without any block", () => {
    const stop_details = { type: "refusal", explanation: "not this" };
    expect(decode(start, stop("refusal", { stop_details }), end).slice(1)).toEqual([
      { kind: "refusal", text: "not this" },
      { kind: "finish", finish: "refusal" },
    ]);
  });

  it("names the stop sequence", () => {
    expect(decode(start, stop("stop_sequence", { stop_sequence: "END" }), end).at(-1)).toEqual({
      kind: "finish",
      finish: "stop_sequence",
      stopSequence: "END",
    });
  });

  it("does not finish a stream that was cut before message_stop", () => {
    expect(decode(start, stop("end_turn")).map(event => event.kind)).toEqual(["start"]);
  });

  it("reports the provider's own failure", () => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    expect(decode(start, { type: "error", error }).at(-1)).toEqual({
      kind: "error",
      error: { status: 529, type: "overloaded_error", message: "Overloaded" },
    });
  });

  it("never throws, for any frame", () => {
    const types = [
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "error",
    ];
    const frame = fc.oneof(
      fc.jsonValue(),
      fc.record({
        type: fc.constantFrom(...types),
        index: fc.jsonValue(),
        delta: fc.jsonValue(),
        message: fc.jsonValue(),
        content_block: fc.jsonValue(),
        error: fc.jsonValue(),
      }),
    );
    fc.assert(fc.property(fc.array(frame), frames => void decode(...frames)));
  });
});
