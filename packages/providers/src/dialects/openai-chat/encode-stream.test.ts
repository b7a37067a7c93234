import { describe, expect, it } from "bun:test";
import type { Usage } from "@tollgate/core/money/usage";
import OpenAI from "openai";
import type { AnswerEvent } from "../../canonical/answer.ts";
import { createOpenaiChat } from "./dialect.ts";

const dialect = createOpenaiChat({ now: () => 9 });
const summary = (wantsStreamUsage: boolean) => ({
  model: "m",
  stream: true,
  wantsStreamUsage,
  maxOutputTokens: null,
  choices: 1,
});

function encode(events: readonly AnswerEvent[], usage: Usage | null, wantsUsage = false): string {
  const encoder = dialect.streamEncoder(summary(wantsUsage));
  return events.map(event => encoder.encode(event)).join("") + encoder.end(usage);
}

/** The chunks of a stream; checks that every frame but the last is JSON. */
function chunksOf(text: string): Record<string, unknown>[] {
  const frames = text.split("\n\n");
  expect(frames.pop()).toBe("");
  expect(frames.pop()).toBe("data: [DONE]");
  return frames.map(frame => {
    expect(frame.startsWith("data: ")).toBe(true);
    return JSON.parse(frame.slice(6));
  });
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "msg_1",
  object: "chat.completion.chunk",
  created: 9,
  model: "claude",
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
});
const usage = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};
const start: AnswerEvent = { kind: "start", id: "msg_1", model: "claude" };
const hello: AnswerEvent[] = [start, { kind: "text", text: "he" }, { kind: "text", text: "llo" }];
const stop: AnswerEvent = { kind: "finish", finish: "stop" };

describe("streamEncoder", () => {
  it("GW-006 GW-007 GW-019 puts usage on the chunk with the finish_reason, and no chunk has empty choices", () => {
    expect(chunksOf(encode([...hello, stop], { input: 3, output: 2 }))).toEqual([
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "he" }),
      chunk({ content: "llo" }),
      { ...chunk({}, "stop"), usage },
    ]);
  });

  it("GW-008 uses OpenAI's own shape for a client that requested usage", () => {
    expect(chunksOf(encode([...hello, stop], { input: 3, output: 2 }, true))).toEqual([
      { ...chunk({ role: "assistant", content: "" }), usage: null },
      { ...chunk({ content: "he" }), usage: null },
      { ...chunk({ content: "llo" }), usage: null },
      { ...chunk({}, "stop"), usage: null },
      { ...chunk({}), choices: [], usage },
    ]);
  });

  it("omits unknown usage", () => {
    expect(chunksOf(encode([start, stop], null))).toEqual([
      chunk({ role: "assistant", content: "" }),
      chunk({}, "stop"),
    ]);
    expect(chunksOf(encode([start, stop], null, true))).toHaveLength(2);
  });

  it("encodes calls: id and name first, then fragments, and {} if there are none", () => {
    const events: AnswerEvent[] = [
      start,
      { kind: "tool_start", index: 0, id: "c0", name: "f", signature: "s" },
      { kind: "tool_start", index: 1, id: "c1", name: "g" },
      { kind: "tool_arguments", index: 1, fragment: "" },
      { kind: "tool_arguments", index: 1, fragment: '{"a":' },
      { kind: "tool_arguments", index: 1, fragment: "1}" },
      { kind: "finish", finish: "tool_calls" },
    ];
    const open = (index: number, id: string, name: string, extra = {}) =>
      chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" }, ...extra }] });
    const fragment = (index: number, text: string) =>
      chunk({ tool_calls: [{ index, function: { arguments: text } }] });
    expect(chunksOf(encode(events, null)).slice(1)).toEqual([
      open(0, "c0", "f", { extra_content: { google: { thought_signature: "s" } } }),
      open(1, "c1", "g"),
      fragment(1, '{"a":'),
      fragment(1, "1}"),
      fragment(0, "{}"),
      chunk({}, "tool_calls"),
    ]);
  });

  it("encodes reasoning as it arrives, and its signature before the end", () => {
    const events: AnswerEvent[] = [
      start,
      { kind: "reasoning", text: "h" },
      { kind: "reasoning", text: "m" },
      { kind: "reasoning_signature", signature: "s" },
      { kind: "text", text: "t" },
      stop,
    ];
    expect(chunksOf(encode(events, null)).slice(1)).toEqual([
      chunk({ reasoning_content: "h" }),
      chunk({ reasoning_content: "m" }),
      chunk({ content: "t" }),
      chunk({ extra_content: { anthropic: { signature: "s" } } }),
      chunk({}, "stop"),
    ]);
  });

  it("encodes the first signature of a text, because clients would join two", () => {
    const events: AnswerEvent[] = [
      start,
      { kind: "text", text: "t", signature: "s" },
      { kind: "text", text: "u", signature: "s2" },
      { kind: "text", text: "", signature: "s3" },
      stop,
    ];
    const extra_content = { google: { thought_signature: "s" } };
    expect(chunksOf(encode(events, null)).slice(1)).toEqual([
      chunk({ content: "t", extra_content }),
      chunk({ content: "u" }),
      chunk({}, "stop"),
    ]);
    expect(chunksOf(encode([start, { kind: "text", text: "", signature: "s" }, stop], null))[1]).toEqual(
      chunk({ extra_content }),
    );
  });

  it("keeps several thinking blocks separate", () => {
    const events: AnswerEvent[] = [
      start,
      { kind: "reasoning", text: "a" },
      { kind: "reasoning_signature", signature: "1" },
      { kind: "redacted_reasoning", data: "x" },
      { kind: "reasoning", text: "b" },
      { kind: "reasoning_signature", signature: "2" },
      stop,
    ];
    const blocks = [
      { type: "thinking", thinking: "a", signature: "1" },
      { type: "redacted_thinking", data: "x" },
      { type: "thinking", thinking: "b", signature: "2" },
    ];
    expect(chunksOf(encode(events, null)).at(-2)).toEqual(
      chunk({ extra_content: { anthropic: { thinking_blocks: blocks } } }),
    );
  });

  it("encodes a refusal", () => {
    const chunks = chunksOf(
      encode([start, { kind: "refusal", text: "no" }, { kind: "finish", finish: "refusal" }], null),
    );
    expect(chunks.slice(1)).toEqual([chunk({ refusal: "no" }), chunk({}, "content_filter")]);
  });

  it("a broken stream ends with an error frame, and without [DONE]", () => {
    const text = dialect
      .streamEncoder(summary(false))
      .fail({ status: 529, message: "m", type: "overloaded_error" });
    expect(text).toBe(
      'data: {"error":{"message":"m","type":"overloaded_error","param":null,"code":null}}\n\n',
    );
  });
});

describe("the official client", () => {
  const clientOf = (text: string) =>
    new OpenAI({
      apiKey: "k",
      maxRetries: 0,
      fetch: async () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
    });
  const request = { model: "m", messages: [{ role: "user" as const, content: "x" }], stream: true as const };

  it("GW-006 reads text and finish", async () => {
    let text = "";
    let reason: string | null | undefined;
    const stream = await clientOf(encode([...hello, stop], { input: 3, output: 2 })).chat.completions.create(
      request,
    );
    for await (const part of stream) {
      text += part.choices[0]?.delta.content ?? "";
      reason = part.choices[0]?.finish_reason;
    }
    expect(text).toBe("hello");
    expect(reason).toBe("stop");
  });

  it("throws on the error frame", async () => {
    const encoder = dialect.streamEncoder(summary(false));
    const broken =
      hello.map(event => encoder.encode(event)).join("") + encoder.fail({ status: 500, message: "gone" });
    const stream = await clientOf(broken).chat.completions.create(request);
    const drain = async () => {
      for await (const _ of stream);
    };
    await expect(drain()).rejects.toThrow("gone");
  });
});
