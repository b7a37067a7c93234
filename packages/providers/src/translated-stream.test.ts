import { expect, it } from "bun:test";
import { anthropicMessages } from "./dialects/anthropic-messages/dialect.ts";
import { planExchange } from "./exchange.ts";
import { openai } from "./openai/provider.ts";
import { SseSplitter } from "./sse.ts";

const chunk = (fields: object) => `data: ${JSON.stringify({ id: "c", model: "gpt-4o-mini", ...fields })}\n\n`;
const usage = (tokens: number) =>
  chunk({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: tokens } });

it("GW-020 ignores everything after [DONE]: the bill does not depend on packet boundaries", () => {
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
  const answer = chunk({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] });
  const sent = `${answer}${usage(7)}data: [DONE]\n\n${usage(900)}`;
  for (const frame of new SseSplitter().push(Buffer.from(sent))) stream.push(frame);
  expect(stream.end()).toBe(true);
  expect(meter.reading().usage).toEqual({ input: 7, output: 7 });
});
