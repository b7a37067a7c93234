import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { gzipSync } from "node:zlib";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { jsonBody } from "../../support/clients/json-body.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { MEGABYTE, memoryPeak } from "../../support/memory-peak.ts";
import { otlpRequest, otlpSpan } from "./otlp-span.ts";

let gateway: TestGateway;
let seen = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  expect(gateway.verify()).toMatchObject({ ok: true, differences: [] });
  await gateway.stop();
});

function newEvents() {
  const all = gateway.events();
  const fresh = all.slice(seen);
  seen = all.length;
  return fresh;
}

const call = { model: "gpt-4o-mini", input_tokens: 1000, output_tokens: 100 };

type Compression = NonNullable<ConstructorParameters<typeof ProtobufExporter>[0]>["compression"];
const gzip = "gzip" as Compression;
const protobuf = { "content-type": "application/x-protobuf" };
const json = { "content-type": "application/json" };
const none = "none" as Compression;

describe("the official OpenTelemetry exporters", () => {
  for (const [what, Exporter, compression] of [
    ["protobuf", ProtobufExporter, none],
    ["protobuf, gzip", ProtobufExporter, gzip],
    ["JSON", JsonExporter, none],
    ["JSON, gzip", JsonExporter, gzip],
  ] as const) {
    it(`ING-005 record each LLM span as one event with source otlp (${what})`, async () => {
      const exporter = new Exporter({
        url: `${gateway.url}/v1/traces`,
        headers: { authorization: `Bearer ${gateway.liveKey}` },
        ...(compression && { compression }),
      });
      const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
      const tracer = provider.getTracer("test");
      const startTime = Date.now() - 5000;
      // One call as reported by Vercel's AI SDK: three spans, two of them with the same usage.
      const usage = { "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 100 };
      const agent = tracer.startSpan("invoke_agent gpt-4o-mini", {
        startTime,
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.request.model": "gpt-4o-mini",
          ...usage,
        },
      });
      const step = tracer.startSpan("step 1", { attributes: { "gen_ai.operation.name": "agent_step" } });
      const chat = tracer.startSpan("chat gpt-4o-mini", {
        kind: SpanKind.CLIENT,
        startTime,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "openai",
          "gen_ai.request.model": "gpt-4o-mini",
          "gen_ai.response.model": "gpt-4o-mini-2024-07-18",
          "gen_ai.response.id": `chatcmpl-${what}`,
          "gen_ai.response.finish_reasons": ["stop"],
          "gen_ai.conversation.id": "conversation 7",
          "gen_ai.agent.name": "Trip Planner",
          "gen_ai.usage.cache_read.input_tokens": 400,
          ...usage,
        },
      });
      chat.end(startTime + 1234);
      step.end();
      agent.setStatus({ code: SpanStatusCode.ERROR });
      agent.end(startTime + 1300);
      await provider.forceFlush();
      await provider.shutdown();
      const events = newEvents();
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({
        org_id: gateway.orgId,
        source: "otlp",
        endpoint: "/v1/traces",
        created_at: startTime,
        provider: "openai",
        model: "gpt-4o-mini",
        served_model: "gpt-4o-mini-2024-07-18",
        agent_key: "Trip Planner",
        session_id: "conversation 7",
        input_tokens: 1000,
        output_tokens: 100,
        usage: { input: 600, cache_read: 400, output: 100 },
        cost_basis: "priced",
        latency_ms: 1234,
        status: "success",
        response_id: `chatcmpl-${what}`,
      });
      expect(events[0]?.cost_microcents).toBe(1800 as never);
    });
  }
});

describe("POST /v1/traces", () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    fetch(`${gateway.url}/v1/traces`, { method: "POST", headers: gateway.headers(headers), body });

  it("ING-006 fills the event from our own attributes; svc.config_version wins", async () => {
    const span = otlpSpan(
      {
        ...call,
        agent_id: "planner",
        session_id: "s-1",
        cost_microcents: 4321,
        latency_ms: 77,
        status: "timeout",
        "svc.config_version": "v2 ",
        "gen_ai.request.config_version": "other",
      },
      { statusCode: 2 },
    );
    const answer = await gateway.post("/v1/traces", otlpRequest(span));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({});
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("x-gateway-cost")).toBe("4321");
    expect(answer.headers.get("x-gateway-latency")).toMatch(/^\d+ms$/);
    expect(answer.headers.get("ratelimit-limit")).toBe("10000");
    const [event] = newEvents();
    expect(event).toMatchObject({
      agent_key: "planner",
      session_id: "s-1",
      input_tokens: 1000,
      output_tokens: 100,
      cost_basis: "reported",
      latency_ms: 77,
      status: "timeout",
      config_version: "v2 ",
    });
    expect(event?.cost_microcents).toBe(4321 as never);
  });

  for (const [what, attributes, version] of [
    ["gen_ai.request.config_version alone", { "gen_ai.request.config_version": "g" }, "g"],
    ["an empty one as null", { "svc.config_version": "" }, null],
    [
      "an empty one of ours before another",
      { "svc.config_version": "", "gen_ai.request.config_version": "g" },
      null,
    ],
  ] as const) {
    it(`ING-006 reads ${what}`, async () => {
      await gateway.post("/v1/traces", otlpRequest(otlpSpan({ ...call, ...attributes })));
      expect(newEvents().map(event => event.config_version)).toEqual([version]);
    });
  }

  it("treats a resent span as the same event", async () => {
    const span = otlpSpan(call);
    const upper = { ...span, traceId: span.traceId.toUpperCase() };
    await gateway.post("/v1/traces", otlpRequest(span, span));
    const again = await gateway.post("/v1/traces", otlpRequest(upper));
    expect(await again.json()).toEqual({});
    expect(newEvents()).toHaveLength(1);
  });

  it("ING-008 keeps equal spans of two organizations separate", async () => {
    const other = await gateway.store.createOrganization("other", "enterprise", Date.now());
    const { key } = await gateway.store.createKey(other.id, "live", "write", Date.now());
    const request = otlpRequest(otlpSpan({ ...call, org_id: "someone" }));
    await gateway.post("/v1/traces", request);
    await gateway.post("/v1/traces", request, { authorization: `Bearer ${key}` });
    expect(newEvents().map(({ org_id }) => org_id)).toEqual([gateway.orgId, other.id]);
  });

  it("reports rejected spans in a partial success, and accepts the others", async () => {
    const spans = [
      otlpSpan({ "gen_ai.operation.name": "chat" }),
      otlpSpan(call),
      otlpSpan(call, { traceId: "0".repeat(32) }),
      otlpSpan({ ...call, input_tokens: -5 }),
      otlpSpan(call, { startMs: Date.now() + 86_400_000 }),
      otlpSpan({ ...call, "svc.config_version": "x".repeat(4097) }),
      otlpSpan({ "http.request.method": "GET" }),
    ];
    const answer = await gateway.post("/v1/traces", otlpRequest(...spans));
    expect(answer.status).toBe(200);
    const { partialSuccess } = await jsonBody(answer);
    expect(partialSuccess).toMatchObject({
      rejectedSpans: "5",
      errorMessage: expect.stringMatching(/names none.*trace id.*token count.*future.*config_version/),
    });
    expect(newEvents()).toHaveLength(1);
  });

  it("accepts an empty request", async () => {
    expect(await (await post("{}", {})).json()).toEqual({});
    const empty = await post(new Uint8Array(), { "content-type": "application/x-protobuf" });
    expect([empty.status, await empty.text(), empty.headers.get("content-type")]).toEqual([
      200,
      "",
      "application/x-protobuf",
    ]);
  });

  it("answers 400 with a google.rpc.Status in the request's encoding to an undecodable request", async () => {
    for (const body of [
      "{",
      "[]",
      '{"resourceSpans":7}',
      '{"resourceSpans":[{"scopeSpans":[{"spans":["x"]}]}]}',
    ]) {
      const answer = await post(body, {});
      expect(answer.status).toBe(400);
      const { error, message, code } = await jsonBody(answer);
      expect([typeof error, message, code]).toEqual(["string", error, 3]);
    }
    const bad = await post(Uint8Array.from([0x0a, 0x7f]), { "content-type": "application/x-protobuf" });
    expect([bad.status, bad.headers.get("content-type")]).toEqual([400, "application/x-protobuf"]);
    const status = new Uint8Array(await bad.arrayBuffer());
    expect([...status.subarray(0, 3)]).toEqual([0x08, 3, 0x12]);
    expect(newEvents()).toEqual([]);
  });

  for (const [what, headers] of [
    ["another content type", { "content-type": "text/plain" }],
    ["another encoding", { "content-encoding": "br" }],
    ["gzip that is none", { "content-encoding": "gzip" }],
  ] as const) {
    it(`answers 400 to ${what}`, async () => expect((await post("{}", headers)).status).toBe(400));
  }

  it("answers 413 to a gzip bomb without decompressing it", async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(400 * MEGABYTE)));
    expect(bomb.length).toBeLessThan(MEGABYTE);
    const peak = await memoryPeak(async () => {
      for (let at = 0; at < 5; at++) {
        expect((await post(bomb, { "content-encoding": "gzip" })).status).toBe(413);
      }
    });
    expect(peak).toBeLessThan(100 * MEGABYTE);
  });

  it("records thousands of spans of one request", async () => {
    const spans = Array.from({ length: 3000 }, () => otlpSpan(call));
    const body = new Uint8Array(gzipSync(JSON.stringify(otlpRequest(...spans))));
    const answer = await post(body, { "content-encoding": "gzip" });
    expect(await answer.json()).toEqual({});
    expect(newEvents()).toHaveLength(3000);
  });

  it("serves others while it reads hundreds of thousands of empty spans, and stores none of them", async () => {
    let isDone = false;
    const peak = await memoryPeak(async () => {
      const sent = post(emptySpans(400_000), { ...protobuf, "content-encoding": "gzip" });
      const ended = sent.finally(() => {
        isDone = true;
      });
      let answeredMeanwhile = 0;
      while (!isDone) {
        expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
        if (!isDone) answeredMeanwhile++;
      }
      expect(answeredMeanwhile).toBeGreaterThan(0);
      expect((await ended).status).toBe(200);
    });
    expect(peak).toBeLessThan(200 * MEGABYTE);
    expect(newEvents()).toEqual([]);
  });

  for (const [what, body, type] of [
    ["empty spans", emptySpans(5_000_000), protobuf],
    ["attributes of one span", manyAttributes(3_000_000), protobuf],
    ["values in JSON", gzipped(`{"resourceSpans":[${"{},".repeat(3_000_000)}{}]}`), json],
  ] as const) {
    it(`GW-024 answers 400 to millions of ${what}, before they take memory`, async () => {
      const peak = await memoryPeak(async () => {
        const answer = await post(body, { ...type, "content-encoding": "gzip" });
        expect([answer.status, await answer.text()]).toEqual([
          400,
          expect.stringContaining("the request holds more than 500,000 values"),
        ]);
      });
      expect(peak).toBeLessThan(200 * MEGABYTE);
      expect(newEvents()).toEqual([]);
    });
  }
});

function gzipped(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(body));
}

function emptySpans(count: number): Uint8Array<ArrayBuffer> {
  return spansOf(Buffer.alloc(2 * count, Uint8Array.from([0x12, 0x00])));
}

function manyAttributes(count: number): Uint8Array<ArrayBuffer> {
  const attributes = Buffer.alloc(2 * count, Uint8Array.from([0x4a, 0x00]));
  return spansOf(Buffer.concat([Buffer.from([0x12, ...lengthOf(attributes)]), attributes]));
}

function spansOf(spans: Uint8Array): Uint8Array<ArrayBuffer> {
  const scope = Buffer.concat([Buffer.from([0x12, ...lengthOf(spans)]), spans]);
  return gzipped(Buffer.concat([Buffer.from([0x0a, ...lengthOf(scope)]), scope]));
}

/** As a varint. */
function lengthOf(bytes: Uint8Array): number[] {
  const digits: number[] = [];
  let rest = bytes.length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) digits.push((rest % 0x80) | 0x80);
  return [...digits, rest];
}
