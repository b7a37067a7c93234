import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { chatFrame } from "../../support/servers/serve-wishes.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { call, newEvents } from "./call-gateway.ts";
import { INFERENCE, inferenceSpan, llmetrySpan, tell } from "./instrumented-call.ts";
import { newSpanId, newTraceId, traceparentOf } from "./trace-ids.ts";

const ENDLESS = "an answer that never ends";

function endlessAnswer(): Response {
  const frame = new TextEncoder().encode(chatFrame("Once upon a time"));
  const body = new ReadableStream({ start: controller => controller.enqueue(frame) });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** How both instrumentations report a call without usage. */
function withoutTokens<T extends ReturnType<typeof inferenceSpan>>(told: T): T {
  const isTokens = ({ key }: { key: string }) => key.includes("token");
  const attributes = told.span.attributes.filter(attribute => !isTokens(attribute));
  return { ...told, span: { ...told.span, attributes } };
}

let provider: ServedProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = serveProvider("openai", {
    answer: (_request, { text }) => (text.includes(ENDLESS) ? endlessAnswer() : undefined),
  });
  gateway = await startTestGateway({ baseUrls: { openai: provider.url } });
});
afterAll(async () => {
  expect(gateway.verify()).toMatchObject({ ok: true, differences: [] });
  await gateway.stop();
  await provider.stop();
});

describe("a call through the gateway that telemetry reports without a response id", () => {
  for (const path of ["/v1/chat/completions", "/v1/embeddings"]) {
    it(`ING-011 is counted once, even if both instrumentations report it twice (${path})`, async () => {
      const event = await call(gateway, path);
      const told = [inferenceSpan(event), llmetrySpan(event)];
      const fresh = await newEvents(gateway, async () => {
        await tell(gateway, told);
        await tell(gateway, told);
      });
      expect(fresh).toEqual([]);
    });
  }

  it("ING-011 accepts one span per instrumentation: a second one is another call", async () => {
    const event = await call(gateway);
    const second = inferenceSpan(event);
    const fresh = await newEvents(gateway, () => tell(gateway, [inferenceSpan(event), second]));
    expect(fresh).toMatchObject([
      { source: "otlp", span_id: second.span.spanId, instrumentation: INFERENCE },
    ]);
  });

  it("ING-011 is counted once among equal concurrent calls, of which as many bypassed the gateway", async () => {
    const through = await Promise.all(
      Array.from({ length: 40 }, () => call(gateway, undefined, {}, "the same prompt")),
    );
    const tokens = new Set(through.map(event => `${event.input_tokens} ${event.output_tokens}`));
    expect(tokens.size).toBe(1);
    // The others took as long, and are reported by the same instrumentation.
    const told = [...through, ...through].map(event => inferenceSpan(event));
    const batches = Array.from({ length: 8 }, (_, at) => told.filter((_, index) => index % 8 === at));
    const fresh = await newEvents(gateway, async () => {
      await Promise.all(batches.map(batch => tell(gateway, batch)));
      await Promise.all(batches.map(batch => tell(gateway, batch)));
    });
    expect(fresh).toHaveLength(40);
  });

  for (const [what, change, attributes] of [
    ["an hour earlier", { startMs: Date.now() - 3_600_000 }, {}],
    ["of one token more", {}, { "llm.token_count.completion": 1_000 }],
    ["of another model", {}, { "llm.model_name": "gpt-4o" }],
    ["of another answer", {}, { "gen_ai.response.id": "chatcmpl-elsewhere" }],
  ] as const) {
    it(`ING-011 is not confused with a call ${what}`, async () => {
      const event = await call(gateway);
      const span = inferenceSpan(event, change, attributes);
      expect(await newEvents(gateway, () => tell(gateway, [span]))).toHaveLength(1);
    });
  }

  it("ING-011 is counted once if its client left, and the span has no tokens", async () => {
    const leaving = new AbortController();
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.liveKey}`, "x-provider-key": "sk-1" },
      body: JSON.stringify({
        model: "gpt-4o-mini",
        messages: [{ role: "user", content: ENDLESS }],
        stream: true,
      }),
      signal: leaving.signal,
    });
    await answer.body?.getReader().read();
    leaving.abort();
    const found = () =>
      gateway.events().find(({ id }) => id === answer.headers.get("x-gateway-event-id")) ?? null;
    await eventually("the call has its event", () => found() !== null);
    const event = found();
    if (!event) throw new Error("no event");
    expect(event).toMatchObject({ status: "cancelled", usage_source: "estimated" });
    const told = [withoutTokens(inferenceSpan(event))];
    expect(await newEvents(gateway, () => tell(gateway, told))).toEqual([]);
  });

  it("ING-011 is counted once per attempt if its client gives up, and has one span for all attempts", async () => {
    const attempt = async () => {
      const answer = await gateway.post("/v1/chat/completions", {
        model: "gpt-4o-mini",
        messages: [{ role: "user", content: "tollgate:simulate=rate_limit" }],
      });
      expect(answer.status).toBe(429);
    };
    const attempts = await newEvents(gateway, async () => {
      for (let made = 0; made < 3; made++) await attempt();
    });
    const [first, , last] = attempts;
    if (!first || !last) throw new Error("no events");
    // It fits none of the attempts closely, as with the pauses between them.
    const startMs = first.created_at - 200;
    const durationMs = last.created_at + last.latency_ms - startMs;
    const span = withoutTokens(llmetrySpan(first, { startMs, durationMs, statusCode: 2 }));
    expect(await newEvents(gateway, () => tell(gateway, [span]))).toEqual([]);
  });

  const ids = { "x-agent-id": "A1", "x-session-id": "S1", "x-customer-id": "C1" };
  const toldIds = { "svc.agent_id": "A1", "svc.session_id": "S1", "svc.customer_id": "C1" };

  for (const [what, attributes, told] of [
    ["agent", { "svc.agent_id": "A2" }, { agent_key: "A2" }],
    ["session", { "svc.session_id": "S2" }, { session_id: "S2" }],
    ["customer", { "svc.customer_id": "C2" }, { customer_id: "C2" }],
  ] as const) {
    it(`ING-011 is not confused with a call of another ${what}, and still matches its own span`, async () => {
      const event = await call(gateway, undefined, ids);
      const other = inferenceSpan(event, {}, { ...toldIds, ...attributes });
      const own = inferenceSpan(event, {}, toldIds);
      const fresh = await newEvents(gateway, () => tell(gateway, [other, own]));
      expect(fresh).toMatchObject([{ source: "otlp", span_id: other.span.spanId, ...told }]);
    });
  }

  it("ING-011 matches a span without ids, or with an id that the call lacks", async () => {
    const named = await call(gateway, undefined, ids);
    const unnamed = await call(gateway);
    const told = [inferenceSpan(named), inferenceSpan(unnamed, {}, toldIds)];
    expect(await newEvents(gateway, () => tell(gateway, told))).toEqual([]);
  });

  it("ING-011 is identified by its answer, its event id or its traceparent, whatever ids the span has", async () => {
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    const event = await call(gateway, undefined, { ...ids, traceparent: traceparentOf(traceId, spanId) });
    const others = { "svc.agent_id": "A2", "svc.session_id": "S2", "svc.customer_id": "C2" };
    const told = [
      inferenceSpan(event, { traceId, spanId }, others),
      inferenceSpan(event, { traceId }, others),
      inferenceSpan(event, {}, { ...others, "gen_ai.response.id": event.response_id ?? "" }),
      inferenceSpan(event, {}, { ...others, "svc.event_id": event.id }),
    ];
    expect(await newEvents(gateway, () => tell(gateway, told))).toEqual([]);
  });

  it("ING-011 is not confused with one of another organization or of test traffic", async () => {
    const event = await call(gateway);
    const other = await gateway.store.createOrganization("other", "enterprise", Date.now());
    const { key } = await gateway.store.createKey(other.id, "live", "write", Date.now());
    const fresh = await newEvents(gateway, async () => {
      await tell(gateway, [inferenceSpan(event)], key);
      await tell(gateway, [inferenceSpan(event)], gateway.testKey);
    });
    expect(fresh).toHaveLength(2);
  });
});
