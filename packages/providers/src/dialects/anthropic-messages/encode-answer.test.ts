import { describe, expect, it } from "bun:test";
import type { CanonicalAnswer, Finish } from "../../canonical/answer.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { encodeError } from "./encode-error.ts";

const answer = (over: Partial<CanonicalAnswer>): CanonicalAnswer => ({
  id: "chatcmpl-1",
  model: "gpt-4o-2024-08-06",
  parts: [{ kind: "text", text: "hi" }],
  finish: "stop",
  ...over,
});
const encode = (over: Partial<CanonicalAnswer>) =>
  JSON.parse(encodeAnswer(answer(over), { input: 1, output: 1 }));

describe("encodeAnswer", () => {
  it("GW-018 encodes a message, and keeps foreign ids", () => {
    expect(JSON.parse(encodeAnswer(answer({}), { input: 10, output: 4 }))).toEqual({
      id: "chatcmpl-1",
      type: "message",
      role: "assistant",
      model: "gpt-4o-2024-08-06",
      content: [{ type: "text", text: "hi" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 4,
      },
    });
  });

  it("counts as anthropic does: the input excludes the cache, the output includes thinking", () => {
    const usage = {
      input: 10,
      input_audio: 5,
      cache_read: 7,
      cache_read_image: 1,
      cache_write: 3,
      cache_write_1h: 2,
      output: 4,
      reasoning: 6,
    };
    expect(JSON.parse(encodeAnswer(answer({}), usage)).usage).toEqual({
      input_tokens: 15,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 8,
      output_tokens: 10,
      output_tokens_details: { thinking_tokens: 6 },
    });
  });

  it("always contains numbers, because clients reject a message without them", () => {
    expect(JSON.parse(encodeAnswer(answer({}), null)).usage).toMatchObject({
      input_tokens: 0,
      output_tokens: 0,
    });
  });

  it.each<[Finish, string]>([
    ["stop", "end_turn"],
    ["stop_sequence", "stop_sequence"],
    ["length", "max_tokens"],
    ["tool_calls", "tool_use"],
    ["refusal", "refusal"],
    ["content_filter", "refusal"],
    ["pause", "pause_turn"],
    ["error", "end_turn"],
  ])("GW-019 finish %s is stop_reason %s", (finish, expected) => {
    expect(encode({ finish }).stop_reason).toBe(expected);
  });

  it("names the stop sequence", () => {
    expect(encode({ finish: "stop_sequence", stopSequence: "END" }).stop_sequence).toBe("END");
  });

  it("GW-019 encodes every part as its block", () => {
    const { content, stop_reason } = encode({
      parts: [
        { kind: "reasoning", text: "hm", signature: "sig" },
        { kind: "reasoning", text: "hm" },
        { kind: "redacted_reasoning", data: "xyz" },
        { kind: "tool_call", id: "call_1", name: "f", arguments: '{"a":1}' },
        { kind: "tool_call", id: "call_2", name: "f", arguments: "" },
        { kind: "tool_call", id: "call_3", name: "f", arguments: '{"a":' },
        { kind: "refusal", text: "no" },
      ],
    });
    expect(content).toEqual([
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "thinking", thinking: "hm", signature: "" },
      { type: "redacted_thinking", data: "xyz" },
      { type: "tool_use", id: "call_1", name: "f", input: { a: 1 } },
      { type: "tool_use", id: "call_2", name: "f", input: {} },
      { type: "tool_use", id: "call_3", name: "f", input: { INVALID_JSON: '{"a":' } },
      { type: "text", text: "no" },
    ]);
    expect(stop_reason).toBe("refusal");
  });
});

describe("encodeError", () => {
  it.each([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [409, "conflict_error"],
    [413, "request_too_large"],
    [422, "invalid_request_error"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [502, "api_error"],
    [503, "overloaded_error"],
    [504, "timeout_error"],
    [529, "overloaded_error"],
  ])("calls status %d %s, whatever another provider called it", (status, type) => {
    for (const named of ["RESOURCE_EXHAUSTED", "invalid_request_error", undefined]) {
      const error = { status, message: "m", ...(named !== undefined && { type: named }) };
      expect(JSON.parse(encodeError(error))).toEqual({ type: "error", error: { type, message: "m" } });
    }
  });

  it("keeps anthropic's own error type", () => {
    const encoded = encodeError({ status: 400, type: "billing_error", message: "m" });
    expect(JSON.parse(encoded).error.type).toBe("billing_error");
  });
});
