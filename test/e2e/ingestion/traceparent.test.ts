import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { call, newEvents } from "./call-gateway.ts";
import { inferenceSpan, tell } from "./instrumented-call.ts";
import { newSpanId, newTraceId, traceparentOf } from "./trace-ids.ts";

let provider: ServedProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = serveProvider("openai", {});
  gateway = await startTestGateway({ baseUrls: { openai: provider.url } });
});
afterAll(async () => {
  expect(gateway.verify()).toMatchObject({ ok: true, differences: [] });
  await gateway.stop();
  await provider.stop();
});

describe("traceparent", () => {
  it("ING-011 is stored on the event and sent to the provider; an invalid one is ignored", async () => {
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    const event = await call(gateway, undefined, { traceparent: traceparentOf(traceId, spanId) });
    expect(event).toMatchObject({ trace_id: traceId, span_id: spanId, instrumentation: null });
    expect(provider.requests.at(-1)?.headers.traceparent).toBe(traceparentOf(traceId, spanId));
    const other = await call(gateway, undefined, { traceparent: "00-nonsense" });
    expect(other).toMatchObject({ trace_id: null, span_id: null });
    expect(provider.requests.at(-1)?.headers).not.toHaveProperty("traceparent");
  });

  it("ING-011 links the span that it names, whatever its time, even one without tokens", async () => {
    for (const attributes of [
      {},
      { "llm.token_count.prompt": 0, "llm.token_count.completion": 0 },
    ] as const) {
      const [traceId, spanId] = [newTraceId(), newSpanId()];
      const event = await call(gateway, undefined, { traceparent: traceparentOf(traceId, spanId) });
      const span = inferenceSpan(event, { traceId, spanId, startMs: 1.5e12 }, attributes);
      expect(await newEvents(gateway, () => tell(gateway, [span]))).toEqual([]);
    }
  });

  for (const [what, attributes] of [
    ["model", { "llm.model_name": "o3" }],
    ["input", { "llm.token_count.prompt": 100_000 }],
    ["output", { "llm.token_count.completion": 5_000 }],
    ["answer", { "gen_ai.response.id": "chatcmpl-elsewhere" }],
  ] as const) {
    it(`ING-011 does not link the span that it names if that reports another ${what}`, async () => {
      const [traceId, spanId] = [newTraceId(), newSpanId()];
      const event = await call(gateway, undefined, { traceparent: traceparentOf(traceId, spanId) });
      const span = inferenceSpan(event, { traceId, spanId }, attributes);
      const fresh = await newEvents(gateway, () => tell(gateway, [span]));
      expect(fresh).toMatchObject([{ source: "otlp", span_id: spanId }]);
    });
  }

  it("ING-011 links a span of its trace with the same tokens, and none of another trace", async () => {
    const traceId = newTraceId();
    const event = await call(gateway, undefined, { traceparent: traceparentOf(traceId, newSpanId()) });
    const own = inferenceSpan(event, { traceId });
    const foreign = inferenceSpan(event);
    const fresh = await newEvents(gateway, async () => {
      await tell(gateway, [foreign]);
      await tell(gateway, [own]);
    });
    expect(fresh).toMatchObject([{ trace_id: foreign.span.traceId }]);
  });
});
