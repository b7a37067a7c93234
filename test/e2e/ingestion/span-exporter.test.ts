import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { SpanExporter } from "@tollgate/sdk/span-exporter";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const report = { model: "gpt-4o-mini", inputTokens: 10, outputTokens: 5, latencyMs: 42 };

/** A scripted gateway that records requests. */
function serve(answers: readonly (() => Response)[]) {
  const bodies: string[] = [];
  const server = Bun.serve({
    port: 0,
    fetch: async request => {
      bodies.push(await request.text());
      return (answers[bodies.length - 1] ?? (() => Response.json({})))();
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, bodies, stop: () => server.stop(true) };
}

describe("the SDK's span exporter", () => {
  it("ING-009 sends reported calls with every attribute of the specification", async () => {
    const exporter = new SpanExporter({ gatewayUrl: gateway.url, apiKey: gateway.liveKey });
    const before = gateway.events().length;
    exporter.report({
      ...report,
      agentId: "planner",
      sessionId: "s1",
      costMicrocents: 99,
      status: "error",
      configVersion: "v7",
    });
    exporter.report(report);
    await exporter.shutdown();
    const events = gateway.events().slice(before);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({
      source: "otlp",
      model: "gpt-4o-mini",
      agent_key: "planner",
      session_id: "s1",
      input_tokens: 10,
      output_tokens: 5,
      cost_basis: "reported",
      latency_ms: 42,
      status: "error",
      config_version: "v7",
    });
    expect(events[0]?.cost_microcents).toBe(99 as never);
    expect(events[1]).toMatchObject({ status: "success", cost_basis: "priced", config_version: null });
    expect(exporter.dropped).toBe(0);
  });

  it("ING-009 is an OpenTelemetry SDK exporter, and sends nothing that the gateway does not read", async () => {
    const exporter = new SpanExporter({ gatewayUrl: gateway.url, apiKey: gateway.liveKey });
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const before = gateway.events().length;
    const span = provider.getTracer("t").startSpan("chat", {
      attributes: { model: "gpt-4o-mini", input_tokens: 3, output_tokens: 1, "svc.config_version": "v1" },
    });
    span.end();
    await provider.forceFlush();
    await provider.shutdown();
    expect(gateway.events().slice(before)).toMatchObject([
      // Another instrumentation of the same call has another scope: the gateway has to distinguish them.
      { input_tokens: 3, config_version: "v1", instrumentation: "t" },
    ]);

    const sink = serve([]);
    const toSink = new SpanExporter({ gatewayUrl: sink.url, apiKey: "k" });
    const quiet = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: toSink })] });
    quiet
      .getTracer("t")
      .startSpan("chat", { attributes: { model: "m", "gen_ai.input.messages": "a secret prompt" } })
      .end();
    await quiet.shutdown();
    await sink.stop();
    expect(sink.bodies).toHaveLength(1);
    expect(sink.bodies[0]).not.toContain("secret");
  });

  it("retries 429, 502, 503 and 504 with the same bytes, after the delay in Retry-After", async () => {
    const status =
      (code: number, headers: Record<string, string> = {}) =>
      () =>
        new Response(null, { status: code, headers });
    const sink = serve([status(429, { "retry-after": "7" }), status(502), status(503), status(504)]);
    const waits: number[] = [];
    const exporter = new SpanExporter({
      gatewayUrl: sink.url,
      apiKey: "k",
      sleep: async ms => void waits.push(ms),
    });
    exporter.report(report);
    await exporter.shutdown();
    await sink.stop();
    expect(waits).toEqual([7000, 2000, 4000, 8000]);
    expect(new Set(sink.bodies).size).toBe(1);
    expect(sink.bodies).toHaveLength(5);
    expect(exporter.dropped).toBe(0);
  });

  it("gives up on permanent errors, and reports them without an exception", async () => {
    const problems: string[] = [];
    const exporter = new SpanExporter({
      gatewayUrl: gateway.url,
      apiKey: "sk_live_wrong",
      onProblem: problem => problems.push(problem),
    });
    exporter.report(report);
    await exporter.forceFlush();
    expect(exporter.dropped).toBe(1);
    expect(problems).toEqual(["1 spans dropped: the gateway answered 401"]);
  });

  it("limits the number of buffered spans", async () => {
    const exporter = new SpanExporter({
      gatewayUrl: gateway.url,
      apiKey: gateway.liveKey,
      maxQueuedSpans: 3,
    });
    expect([1, 2, 3, 4].map(() => exporter.report(report))).toEqual([true, true, true, false]);
    await exporter.forceFlush();
    expect(exporter.report(report)).toBe(true);
    await exporter.shutdown();
    expect(exporter.report(report)).toBe(false);
    expect(exporter.dropped).toBe(2);
  });
});
