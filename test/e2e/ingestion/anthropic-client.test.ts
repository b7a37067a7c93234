import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { newEvents } from "./call-gateway.ts";
import { tell } from "./instrumented-call.ts";
import { type Attributes, otlpSpan, type SpanChange } from "./otlp-span.ts";
import { newSpanId, newTraceId, traceparentOf } from "./trace-ids.ts";

const ENDLESS = "an answer that never ends";

function endlessAnswer(): Response {
  const usage = { input_tokens: 4_711, output_tokens: 2 };
  const message = { id: "msg_endless", type: "message", role: "assistant", model: "claude-sonnet-4-6" };
  const frames = [
    { type: "message_start", message: { ...message, content: [], usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Once upon a time" } },
  ];
  const text = frames.map(frame => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join("");
  const body = new ReadableStream({
    start: controller => controller.enqueue(new TextEncoder().encode(text)),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

let provider: ServedProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = serveProvider("anthropic", {
    answer: (_request, { text }) => (text.includes(ENDLESS) ? endlessAnswer() : undefined),
  });
  gateway = await startTestGateway({ baseUrls: { anthropic: provider.url } });
});
afterAll(async () => {
  expect(gateway.verify()).toMatchObject({ ok: true, differences: [] });
  await gateway.stop();
  await provider.stop();
});

// Attributes as sent by anthropic 2.9.0, openinference-instrumentation-anthropic 3.1.0 and
// opentelemetry-instrumentation-anthropic 0.62.4, around `client.messages.stream`.

type Reported = Pick<
  Event,
  "created_at" | "latency_ms" | "model" | "input_tokens" | "output_tokens" | "response_id"
>;

const clientSpan = (call: Reported, change: SpanChange = {}, attributes: Attributes = {}) =>
  spanOf("com.anthropic.sdk.python", call, change, {
    "gen_ai.provider.name": "anthropic",
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": call.model,
    "gen_ai.request.stream": true,
    "gen_ai.response.id": call.response_id ?? "",
    "gen_ai.response.model": call.model,
    "gen_ai.usage.input_tokens": call.input_tokens,
    "gen_ai.usage.cache_read.input_tokens": 0,
    "gen_ai.usage.cache_write.input_tokens": 0,
    "gen_ai.usage.output_tokens": call.output_tokens,
    ...attributes,
  });

const inferenceSpan = (call: Reported, change: SpanChange = {}, attributes: Attributes = {}) =>
  spanOf("openinference.instrumentation.anthropic", call, change, {
    "openinference.span.kind": "LLM",
    "llm.provider": "anthropic",
    "llm.system": "anthropic",
    "llm.model_name": call.model,
    "llm.request.model_name": call.model,
    "llm.response.model_name": call.model,
    "llm.token_count.prompt": call.input_tokens,
    "llm.token_count.completion": call.output_tokens,
    "llm.token_count.total": call.input_tokens + call.output_tokens,
    ...attributes,
  });

/** It adds the first frame's count of the output to the last one's. */
const llmetrySpan = (call: Reported, change: SpanChange = {}) =>
  spanOf("opentelemetry.instrumentation.anthropic", call, change, {
    "llm.request.type": "chat",
    "gen_ai.system": "Anthropic",
    "gen_ai.request.model": call.model,
    "gen_ai.response.id": call.response_id ?? "",
    "gen_ai.response.model": call.model,
    "gen_ai.usage.input_tokens": call.input_tokens,
    "gen_ai.usage.output_tokens": call.output_tokens + 2,
    "llm.usage.total_tokens": call.input_tokens + call.output_tokens + 2,
  });

/** A failed call: its span has neither an answer nor tokens. */
const failedSpan = (scope: string, call: Reported, change: SpanChange = {}, attributes: Attributes = {}) =>
  spanOf(
    scope,
    call,
    { statusCode: 2, ...change },
    {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": call.model,
      "error.type": "overloaded_error",
      ...attributes,
    },
  );

function spanOf(scope: string, call: Reported, change: SpanChange, attributes: Attributes) {
  const times = { startMs: call.created_at - 5, durationMs: call.latency_ms + 10 };
  return { scope, span: otlpSpan(attributes, { ...times, ...change }) };
}

let prompts = 0;

/** What Anthropic's client sends outside any span: it begins a trace, and names its own span in it. */
async function stream({ isLeft = false, prompt = "" } = {}) {
  const [traceId, spanId] = [newTraceId(), newSpanId()];
  const leaving = new AbortController();
  const content = `${"write ".repeat(++prompts)}${prompt}`;
  const answer = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: {
      "x-api-key": gateway.liveKey,
      "x-provider-key": "sk-ant-1",
      "anthropic-version": "2023-06-01",
      traceparent: traceparentOf(traceId, spanId),
    },
    body: JSON.stringify({
      model: "claude-sonnet-4-6",
      max_tokens: 300,
      stream: true,
      messages: [{ role: "user", content }],
    }),
    signal: leaving.signal,
  });
  if (isLeft) {
    await answer.body?.getReader().read();
    leaving.abort();
  } else await answer.text();
  const id = answer.headers.get("x-gateway-event-id");
  const found = () => gateway.events().find(one => one.id === id);
  await eventually("the call has its event", () => found() !== undefined);
  const event = found();
  if (!event) throw new Error("no event");
  return { event, own: { traceId, spanId } };
}

describe("a stream of Anthropic's client through the gateway", () => {
  it("ING-011 is counted once, although its instrumentation reports it in another trace", async () => {
    const { event, own } = await stream();
    const told = [inferenceSpan(event), clientSpan(event, own)];
    expect(await newEvents(gateway, () => tell(gateway, told))).toEqual([]);
  });

  it("ING-011 is counted once, although OpenLLMetry reports more output", async () => {
    const { event, own } = await stream();
    const told = [llmetrySpan(event), clientSpan(event, own)];
    expect(await newEvents(gateway, () => tell(gateway, told))).toEqual([]);
  });

  it("ING-011 is counted once if it fails", async () => {
    const { event, own } = await stream({ prompt: "tollgate:simulate=overload" });
    expect(event).toMatchObject({ status: "error", http_status: 529 });
    const told = [
      failedSpan("opentelemetry.instrumentation.anthropic", event),
      failedSpan("com.anthropic.sdk.python", event, own),
    ];
    expect(await newEvents(gateway, () => tell(gateway, told))).toEqual([]);
  });

  it("ING-011 is counted once if its client leaves, and the span has the first frame's tokens", async () => {
    const { event, own } = await stream({ isLeft: true, prompt: ENDLESS });
    expect(event).toMatchObject({ status: "cancelled", usage_source: "estimated" });
    const seen = { ...event, output_tokens: 2 };
    const told = [inferenceSpan(seen), clientSpan(seen, own)];
    expect(await newEvents(gateway, () => tell(gateway, told))).toEqual([]);
  });

  it("ING-011 is not confused with one within a span of another trace", async () => {
    const { event } = await stream();
    const other = inferenceSpan(event, { parentSpanId: newSpanId() });
    expect(await newEvents(gateway, () => tell(gateway, [other]))).toHaveLength(1);
  });
});

describe("a stream of Anthropic's client outside the gateway", () => {
  const direct = (): Reported => ({
    created_at: Date.now() - 5_000,
    latency_ms: 700,
    model: "claude-sonnet-4-6",
    input_tokens: 4_000 + ++prompts,
    output_tokens: 46,
    response_id: `msg_direct_${prompts}`,
  });

  for (const [what, twinOf] of [
    ["another trace without an answer", inferenceSpan],
    ["another trace with more output", llmetrySpan],
  ] as const) {
    it(`ING-011 is one event if its instrumentation reports it in ${what}, whichever comes first`, async () => {
      for (const isFirst of [true, false]) {
        const call = direct();
        const told = [clientSpan(call), twinOf(call)];
        const ordered = isFirst ? told : told.toReversed();
        expect(await newEvents(gateway, () => tell(gateway, ordered))).toHaveLength(1);
      }
    });
  }

  it("ING-011 is not the one that a span within another trace reports, whichever comes first", async () => {
    for (const isFirst of [true, false]) {
      const call = direct();
      const told = [clientSpan(call), inferenceSpan(call, { parentSpanId: newSpanId() })];
      const ordered = isFirst ? told : told.toReversed();
      expect(await newEvents(gateway, () => tell(gateway, ordered))).toHaveLength(2);
    }
  });

  it("ING-011 is not the failure that another span reports with a cost, whichever comes first", async () => {
    for (const isFirst of [true, false]) {
      const [call, traceId] = [direct(), newTraceId()];
      const told = [
        failedSpan("com.anthropic.sdk.python", call, { traceId }),
        failedSpan("openinference.instrumentation.anthropic", call, { traceId }, { "llm.cost.total": 0.01 }),
      ];
      const ordered = isFirst ? told : told.toReversed();
      const fresh = await newEvents(gateway, () => tell(gateway, ordered));
      expect(fresh.map(event => Number(event.cost_microcents)).sort()).toEqual([0, 100_000]);
    }
  });

  it("ING-011 is one event if it fails, in one trace or in two", async () => {
    const traceId = newTraceId();
    for (const change of [{ traceId }, {}]) {
      const call = direct();
      const told = [
        failedSpan("com.anthropic.sdk.python", call, change),
        failedSpan("openinference.instrumentation.anthropic", call, change),
      ];
      expect(await newEvents(gateway, () => tell(gateway, told))).toHaveLength(1);
    }
  });
});
