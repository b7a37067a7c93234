import { describe, expect, it } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import type { Usage } from "@tollgate/core/money/usage";
import fc from "fast-check";
import { AnthropicStreamDecoder } from "../../anthropic/decode-stream.ts";
import type { AnswerEvent } from "../../canonical/answer.ts";
import { SseSplitter } from "../../sse.ts";
import { AnthropicStreamEncoder } from "./encode-stream.ts";

const summary = { model: "gpt-4o", stream: true, wantsStreamUsage: true, maxOutputTokens: 5, choices: 1 };
const start: AnswerEvent = { kind: "start", id: "chatcmpl-1", model: "gpt-4o-2024-08-06" };
const text = (value: string): AnswerEvent => ({ kind: "text", text: value });
const call = (index: number): AnswerEvent => ({ kind: "tool_start", index, id: `call_${index}`, name: "f" });
const args = (index: number, fragment: string): AnswerEvent => ({ kind: "tool_arguments", index, fragment });
const finish = (kind: "stop" | "tool_calls" | "length"): AnswerEvent => ({ kind: "finish", finish: kind });

function encode(events: readonly AnswerEvent[], usage: Usage | null = { input: 10, output: 4 }): string {
  const encoder = new AnthropicStreamEncoder(summary);
  return events.map(event => encoder.encode(event)).join("") + encoder.end(usage);
}

interface Frame {
  type: string;
  index?: number;
  [field: string]: unknown;
}

function frames(sse: string): Frame[] {
  const splitter = new SseSplitter();
  return splitter.push(new TextEncoder().encode(sse)).map(frame => {
    const data = JSON.parse(frame.data ?? "null");
    expect(frame.event).toBe(data.type); // clients skip frames without it
    return data;
  });
}

/** Assembled by the official client. */
async function assemble(sse: string) {
  const fetch = async () => new Response(sse, { headers: { "content-type": "text/event-stream" } });
  const client = new Anthropic({ apiKey: "k", baseURL: "http://gateway.test", fetch, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hi" }];
  return client.messages.stream({ model: "gpt-4o", max_tokens: 5, messages }).finalMessage();
}

describe("AnthropicStreamEncoder", () => {
  it("GW-020 encodes the anthropic event stream", () => {
    expect(frames(encode([start, text("he"), text("llo"), finish("stop")]))).toEqual([
      {
        type: "message_start",
        message: {
          id: "chatcmpl-1",
          type: "message",
          role: "assistant",
          model: "gpt-4o-2024-08-06",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 0,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: 0,
          },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "he" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "llo" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: {
          input_tokens: 10,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 4,
        },
      },
      { type: "message_stop" },
    ]);
  });

  it("GW-020 is understood by the official client, with thinking, calls and usage", async () => {
    const events: AnswerEvent[] = [
      start,
      { kind: "reasoning", text: "h" },
      { kind: "reasoning", text: "m" },
      { kind: "reasoning_signature", signature: "sig" },
      { kind: "redacted_reasoning", data: "xyz" },
      text("hi"),
      call(0),
      args(0, '{"a":'),
      args(0, "1}"),
      call(1),
      args(1, "{}"),
      finish("tool_calls"),
    ];
    const message = await assemble(encode(events, { input: 10, cache_read: 7, output: 4, reasoning: 2 }));
    expect(message).toMatchObject({
      id: "chatcmpl-1",
      content: [
        { type: "thinking", thinking: "hm", signature: "sig" },
        { type: "redacted_thinking", data: "xyz" },
        { type: "text", text: "hi" },
        { type: "tool_use", id: "call_0", name: "f", input: { a: 1 } },
        { type: "tool_use", id: "call_1", name: "f", input: {} },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 10, cache_read_input_tokens: 7, output_tokens: 6 },
    });
  });

  it("sends nothing before the start, and the finish only at the end", () => {
    const encoder = new AnthropicStreamEncoder(summary);
    expect(encoder.encode(text("early"))).toBe("");
    expect(encoder.encode(start)).toContain("early");
    expect(encoder.encode(finish("length"))).toBe("");
    expect(encoder.end(null)).toContain('"stop_reason":"max_tokens"');
  });

  it("sends a call's arguments as they come", () => {
    const encoder = new AnthropicStreamEncoder(summary);
    for (const event of [start, call(0)]) encoder.encode(event);
    expect(encoder.encode(args(0, '{"a":1'))).toContain('"partial_json":"{\\"a\\":1"');
    encoder.encode(args(0, "}"));
    expect(encoder.encode(call(1))).toContain("call_1"); // the first call is complete: no need to wait
  });

  it("encodes a refusal as text with its stop reason", () => {
    const written = frames(encode([start, text("a"), { kind: "refusal", text: "no" }, finish("stop")]));
    expect(written.filter(frame => frame.type === "content_block_start")).toHaveLength(2);
    expect(written.at(-2)).toMatchObject({ delta: { stop_reason: "refusal" } });
  });

  it("opens no block for a signature without text", () => {
    const signed: AnswerEvent = { kind: "text", text: "", signature: "s" };
    expect(encode([start, call(0), args(0, "{}"), signed])).toBe(encode([start, call(0), args(0, "{}")]));
  });

  it("encodes an answer without any content", async () => {
    expect((await assemble(encode([start, finish("stop")]))).content).toEqual([]);
  });

  it("starts a new block for thinking after a signature", () => {
    const sealed: AnswerEvent[] = [
      start,
      { kind: "reasoning_signature", signature: "s1" },
      { kind: "reasoning", text: "hm" },
      { kind: "reasoning_signature", signature: "s2" },
      finish("stop"),
    ];
    expect(frames(encode(sealed)).filter(frame => frame.type === "content_block_start")).toHaveLength(2);
  });

  it("ends a broken stream with an error event", () => {
    const encoder = new AnthropicStreamEncoder(summary);
    expect(encoder.fail({ status: 504, message: "silent" })).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"timeout_error","message":"silent"}}\n\n',
    );
  });
});

/** What a client gets from a stream: the content by kind, however it was split. */
function contentOf(events: readonly AnswerEvent[]): unknown[] {
  const parts: { kind: string; value: string }[] = [];
  const calls = new Map<number, { kind: string; value: string }>();
  const add = (kind: string, value: string) => {
    const last = parts.at(-1);
    if (last?.kind === kind && (kind === "text" || kind === "reasoning")) last.value += value;
    else parts.push({ kind, value });
  };
  for (const event of events) {
    if (event.kind === "text" || event.kind === "reasoning") add(event.kind, event.text);
    if (event.kind === "reasoning_signature") add("signature", event.signature);
    if (event.kind === "tool_start") {
      add(`call ${event.id}`, "");
      const part = parts.at(-1);
      if (part) calls.set(event.index, part);
    }
    const target = event.kind === "tool_arguments" ? calls.get(event.index) : undefined;
    if (target && event.kind === "tool_arguments") target.value += event.fragment;
  }
  return parts;
}

function cut(value: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at >= value.length) break;
    pieces.push(value.slice(at, at + size));
    at += size;
  }
  if (at < value.length) pieces.push(value.slice(at));
  return pieces;
}

describe("decode after encode", () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }).map(value => JSON.stringify(value));
  const part = fc.oneof(
    fc.record({ kind: fc.constant("text" as const), value: fc.string({ minLength: 1 }) }),
    fc.record({ kind: fc.constant("reasoning" as const), value: fc.string({ minLength: 1 }) }),
    fc.record({ kind: fc.constant("call" as const), value: json }),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 12 });

  function eventsOf(
    parts: readonly { kind: "text" | "reasoning" | "call"; value: string }[],
    cuts: readonly number[],
  ) {
    let calls = 0;
    const body = parts.flatMap((piece): AnswerEvent[] => {
      const pieces = cut(piece.value, cuts);
      if (piece.kind !== "call")
        return pieces.map(value => ({ kind: piece.kind as "text" | "reasoning", text: value }));
      const index = calls++;
      return [call(index), ...pieces.map(fragment => args(index, fragment))];
    });
    return [start, ...body, finish(calls > 0 ? "tool_calls" : "stop")];
  }

  function roundTrip(events: readonly AnswerEvent[]): AnswerEvent[] {
    const decoder = new AnthropicStreamDecoder();
    return frames(encode(events)).flatMap(frame => decoder.decode(frame));
  }

  it("GW-020 gives the same content for any chunking of the deltas", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), sizes, sizes, (parts, some, others) => {
        const first = eventsOf(parts, some);
        const expected = contentOf(first);
        const decoded = roundTrip(first);
        expect(contentOf(decoded)).toEqual(expected);
        expect(contentOf(roundTrip(eventsOf(parts, others)))).toEqual(expected);
        expect(decoded[0]).toEqual(start);
        expect(decoded.at(-1)).toEqual(first.at(-1) ?? start);
      }),
    );
  });

  it("opens one block at a time with rising indexes, even when calls are interleaved", () => {
    fc.assert(
      fc.property(
        fc.array(json, { minLength: 1, maxLength: 4 }),
        sizes,
        fc.infiniteStream(fc.nat()),
        (calls, cuts, picks) => {
          const queues = calls.map((value, index) => cut(value, cuts).map(fragment => args(index, fragment)));
          const events: AnswerEvent[] = [start, ...calls.map((_, index) => call(index))];
          while (queues.some(queue => queue.length > 0)) {
            const busy = queues.filter(queue => queue.length > 0);
            const next = busy[(picks.next().value ?? 0) % busy.length]?.shift();
            if (next) events.push(next);
          }
          events.push(text("after"), finish("tool_calls"));

          let open: number | null = null;
          let last = -1;
          for (const frame of frames(encode(events))) {
            if (frame.type === "content_block_start") {
              expect(open).toBeNull();
              expect(frame.index).toBe(last + 1);
              open = last = last + 1;
            }
            if (frame.type === "content_block_delta") expect(frame.index).toBe(open ?? -1);
            if (frame.type === "content_block_stop") {
              expect(frame.index).toBe(open ?? -1);
              open = null;
            }
          }
          expect(open).toBeNull();
          expect(contentOf(roundTrip(events))).toEqual(contentOf(events));
        },
      ),
    );
  });
});
