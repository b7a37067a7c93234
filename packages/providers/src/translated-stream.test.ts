import { expect, it } from "bun:test";
import { anthropicMessages } from "./dialects/anthropic-messages/dialect.ts";
import { planExchange } from "./exchange.ts";
import { openai } from "./openai/provider.ts";
import { SseSplitter } from "./sse.ts";

const chunk = (fields: object) => `data: ${JSON.stringify({ id: "c", model: "gpt-4o-mini", ...fields })}\n\n`;
const usage = (tokens: number) =>
  chunk({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: tokens } });

function readStream(sent: string) {
  const body = {
    model: "gpt-4o-mini",
    max_tokens: 10,
    stream: true,
    messages: [{ role: "user", content: "hi" }],
  };
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(body)));
  const summary = anthropicMessages.summarize(body);
  const request = { body, bytes, summary, model: body.model, query: "" };
  const exchange = planExchange(anthropicMessages, openai, request);
  const meter = exchange.meter();
  const stream = exchange.openStream(meter);
  for (const frame of new SseSplitter().push(Buffer.from(sent))) stream.push(frame);
  expect(stream.end()).toBe(true);
  return meter.reading().usage;
}

const answer = chunk({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] });

it("GW-020 ignores everything after [DONE]: the bill does not depend on packet boundaries", () => {
  const sent = `${answer}${usage(7)}data: [DONE]\n\n${usage(900)}`;
  expect(readStream(sent)).toEqual({ input: 7, output: 7 });
});

it("GW-020 MON-005 skips heartbeats: frames without data, or with nothing in it", () => {
  const beats = ": beat\n\ndata:\n\ndata: \n\nevent: keepalive\ndata: {}\n\n";
  const sent = `${beats}${answer}${beats}${usage(7)}${beats}data: [DONE]\n\n`;
  expect(readStream(sent)).toEqual({ input: 7, output: 7 });
});
