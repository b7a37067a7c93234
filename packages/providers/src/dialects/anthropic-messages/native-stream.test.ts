import { describe, expect, it } from "bun:test";
import { AnthropicMeter } from "../../anthropic/meter.ts";
import { SseSplitter } from "../../sse.ts";
import { anthropicMessages } from "./dialect.ts";

const summary = {
  model: "claude-opus-4-8",
  stream: true,
  wantsStreamUsage: true,
  maxOutputTokens: 5,
  choices: 1,
};
const frame = (type: string, rest = "") => `event: ${type}\ndata: {"type":"${type}"${rest}   }\n\n`;

const opening =
  frame(
    "message_start",
    ',"message":{"id":"msg_1","model":"claude-opus-4-8","usage":{"input_tokens":9,"output_tokens":1}}',
  ) +
  frame("ping") +
  ": a comment\n\n" +
  "event: odd\ndata: {not json\n\n" +
  frame("content_block_start", ',"index":0,"content_block":{"type":"text","text":""}') +
  frame("content_block_delta", ',"index":0,"delta":{"type":"text_delta","text":"é"}');
const closing =
  frame("content_block_stop", ',"index":0') +
  frame("message_delta", ',"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}');
const stop = frame("message_stop");
const failure = frame("error", ',"error":{"type":"overloaded_error","message":"Overloaded"}');

function open(sse: string) {
  const meter = new AnthropicMeter();
  const stream = anthropicMessages.openNativeStream(meter, summary);
  const splitter = new SseSplitter();
  const sent = splitter
    .push(new TextEncoder().encode(sse))
    .map(piece => asText(stream.push(piece)))
    .join("");
  return { meter, stream, sent };
}

function asText(bytes: string | Uint8Array): string {
  return typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes);
}

describe("the native stream", () => {
  it("GW-020 forwards and meters every byte, and holds message_stop for the end", () => {
    const { meter, stream, sent } = open(opening + closing + stop);
    expect(sent).toBe(opening + closing);
    expect(stream.end()).toBe(true);
    expect(stream.failure).toBeNull();
    expect(asText(stream.finish())).toBe(stop);
    expect(meter.reading()).toMatchObject({
      usage: { input: 9, output: 4 },
      outputBytes: 2,
      responseId: "msg_1",
    });
  });

  it("lets nothing overtake message_stop", () => {
    const { stream, sent } = open(`${opening}${closing}${stop}: late\n\n`);
    expect(sent).toBe(opening + closing);
    expect(asText(stream.finish())).toBe(`${stop}: late\n\n`);
  });

  it("is not complete without message_stop, and ends with our error frame", () => {
    const { stream, sent } = open(opening + closing);
    expect(sent).toBe(opening + closing);
    expect(stream.end()).toBe(false);
    expect(stream.fail({ status: 502, message: "broke off" })).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"broke off"}}\n\n',
    );
  });

  it("holds the provider's error until it may be sent, then sends the provider's bytes", () => {
    const { stream, sent } = open(opening + failure);
    expect(sent).toBe(opening);
    expect(stream.end()).toBe(false);
    expect(stream.failure).toEqual({ status: 529, type: "overloaded_error", message: "Overloaded" });
    expect(stream.fail({ status: 529, message: "Overloaded" })).toBe(failure);
  });

  it("GW-033 does not forward an incomplete frame, because our error would become part of it", () => {
    const meter = new AnthropicMeter();
    const stream = anthropicMessages.openNativeStream(meter, summary);
    const splitter = new SseSplitter();
    splitter.push(new TextEncoder().encode(stop.slice(0, -8)));
    const rest = splitter.end();
    if (rest === null) throw new Error("nothing was left");
    expect(asText(stream.push(rest))).toBe("");
    expect(stream.end()).toBe(false);
  });
});
