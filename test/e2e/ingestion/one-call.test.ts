import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { randomBytes } from "node:crypto";
import type { Event } from "@tollgate/core/event";
import { simulate } from "@tollgate/simulator/simulate";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { type Attributes, otlpSpan, type SpanChange } from "./otlp-span.ts";

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

const INFERENCE = "openinference.instrumentation.openai";
const LLMETRY = "opentelemetry.instrumentation.openai.v1";

interface Told {
  readonly scope: string;
  readonly span: ReturnType<typeof otlpSpan>;
}

/** Spans as an exporter sends them: grouped by instrumentation. */
function exportOf(...told: readonly Told[]) {
  const scopeSpans = told.map(({ scope, span }) => ({ scope: { name: scope }, spans: [span] }));
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans }] };
}

async function tell(to: TestGateway, told: readonly Told[], key = to.liveKey): Promise<void> {
  const answer = await to.post("/v1/traces", exportOf(...told), { authorization: `Bearer ${key}` });
  expect(await answer.json()).toEqual({});
}

/** How OpenInference reports a call: without a response id, with the model that answered. */
function inferenceSpan(event: Event, change: SpanChange = {}, attributes: Attributes = {}): Told {
  const isEmbedding = event.endpoint === "/v1/embeddings";
  const span = otlpSpan(
    {
      "openinference.span.kind": isEmbedding ? "EMBEDDING" : "LLM",
      "llm.system": "openai",
      [isEmbedding ? "embedding.model_name" : "llm.model_name"]: event.served_model ?? event.model,
      "llm.token_count.prompt": event.input_tokens,
      ...(isEmbedding ? {} : { "llm.token_count.completion": event.output_tokens }),
      "llm.token_count.prompt_details.cache_read": 0,
      ...attributes,
    },
    around(event, change),
  );
  return { scope: INFERENCE, span };
}

/** How OpenLLMetry reports a call. */
function llmetrySpan(event: Event, change: SpanChange = {}, attributes: Attributes = {}): Told {
  const span = otlpSpan(
    {
      "llm.request.type": "chat",
      "gen_ai.request.model": event.requested_model,
      "gen_ai.response.model": event.served_model ?? event.model,
      "gen_ai.usage.input_tokens": event.input_tokens,
      "gen_ai.usage.output_tokens": event.output_tokens,
      ...attributes,
    },
    around(event, change),
  );
  return { scope: LLMETRY, span };
}

function around(event: Event, change: SpanChange): SpanChange {
  return { startMs: event.created_at - 5, durationMs: event.latency_ms + 10, ...change };
}

/** Each call has different tokens unless its content is given, so that tests do not match each other's calls. */
let prompts = 0;

async function call(
  to: TestGateway,
  path = "/v1/chat/completions",
  headers: Record<string, string> = {},
  content = `classify ${"this ".repeat(++prompts)}`,
): Promise<Event> {
  const body =
    path === "/v1/embeddings"
      ? { model: "text-embedding-3-small", input: content }
      : { model: "gpt-4o-mini", messages: [{ role: "user", content }] };
  const answer = await to.post(path, body, headers);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  const id = answer.headers.get("x-gateway-event-id");
  const event = to.events().find(one => one.id === id);
  if (!event) throw new Error("no event");
  return event;
}

const traceparentOf = (traceId: string, spanId: string) => `00-${traceId}-${spanId}-01`;
const newTraceId = () => randomBytes(16).toString("hex");
const newSpanId = () => randomBytes(8).toString("hex");

async function newEvents(of: TestGateway, during: () => Promise<unknown>): Promise<Event[]> {
  const before = of.events().length;
  await during();
  return of.events().slice(before);
}

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

describe("a call outside the gateway that two instrumentations report", () => {
  const direct = (change: Partial<Event> = {}) =>
    ({
      created_at: Date.now() - 5_000,
      latency_ms: 700,
      endpoint: "/v1/chat/completions",
      model: "gpt-4o-mini",
      requested_model: "gpt-4o-mini",
      served_model: "gpt-4o-mini-2024-07-18",
      input_tokens: 13,
      output_tokens: 46,
      ...change,
    }) as Event;
  let answers = 0;
  const answerId = () => ({ "gen_ai.response.id": `chatcmpl-direct-${answers++}` });

  it("ING-011 is one event: the same answer and tokens at the same time, in one request or in two", async () => {
    for (const inOne of [true, false]) {
      const id = answerId();
      const told = [inferenceSpan(direct(), {}, id), llmetrySpan(direct(), {}, id)];
      const fresh = await newEvents(gateway, async () => {
        if (inOne) await tell(gateway, told);
        else await Promise.all(told.map(one => tell(gateway, [one])));
      });
      expect(fresh).toHaveLength(1);
    }
  });

  it("ING-011 is one event if both are in one trace and one reports no answer", async () => {
    const traceId = newTraceId();
    const told = [inferenceSpan(direct(), { traceId }), llmetrySpan(direct(), { traceId }, answerId())];
    expect(await newEvents(gateway, () => tell(gateway, told))).toHaveLength(1);
  });

  for (const [what, spans] of [
    [
      "two spans of the same instrumentation",
      () =>
        Array(2)
          .fill(answerId())
          .map(id => llmetrySpan(direct(), {}, id)),
    ],
    [
      "the same answer at another time",
      () => {
        const id = answerId();
        return [
          inferenceSpan(direct(), {}, id),
          llmetrySpan(direct({ created_at: Date.now() - 60_000 }), {}, id),
        ];
      },
    ],
    [
      "the same answer with other tokens",
      () => {
        const id = answerId();
        return [inferenceSpan(direct(), {}, id), llmetrySpan(direct({ output_tokens: 47 }), {}, id)];
      },
    ],
    [
      "two sessions in one trace",
      () => {
        const traceId = newTraceId();
        return [
          inferenceSpan(direct(), { traceId }, { "svc.session_id": "S1" }),
          llmetrySpan(direct(), { traceId }, { "svc.session_id": "S2" }),
        ];
      },
    ],
    ["two answers", () => [inferenceSpan(direct(), {}, answerId()), llmetrySpan(direct(), {}, answerId())]],
  ] as const) {
    it(`ING-011 does not merge ${what}`, async () => {
      expect(await newEvents(gateway, () => tell(gateway, spans()))).toHaveLength(2);
    });
  }
});

describe("the order of a call and its span", () => {
  const hello = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
  /** The client called the provider directly in the end. */
  const directSpan = (change: SpanChange = {}) =>
    otlpSpan(
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.usage.input_tokens": 100_000,
        "gen_ai.usage.output_tokens": 5_000,
      },
      change,
    );
  const failedSpan = (change: SpanChange = {}) =>
    otlpSpan(
      { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o" },
      { ...change, statusCode: 2 },
    );

  it("ING-011 does not matter: a span that arrives before the event waits for it", async () => {
    const isTold = Promise.withResolvers<void>();
    // The usage has been sent, but not the end.
    const held = serveProvider("openai", {
      answer: async request => {
        const { body, headers, status } = await simulate("openai", request, { paceMs: 0 });
        const text = await new Response(body).text();
        const end = text.lastIndexOf("data: [DONE]");
        const stream = async function* () {
          yield text.slice(0, end);
          await isTold.promise;
          yield text.slice(end);
        };
        return new Response(stream(), { status, headers });
      },
    });
    // A frozen clock: the call is within its span, however slow this machine is.
    const noon = Date.UTC(2026, 10, 15, 12);
    const own = await startTestGateway({
      baseUrls: { openai: held.url },
      now: () => noon,
      uptimeMs: () => 0,
    });
    try {
      const answer = await own.post("/v1/chat/completions", {
        model: "gpt-4o-mini",
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: "user", content: "classify this" }],
      });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while (!text.includes('"usage":{')) text += (await reader?.read())?.value ?? "";
      const [, input, output] = /"prompt_tokens":(\d+),"completion_tokens":(\d+)/.exec(text) ?? [];
      const span = inferenceSpan({
        created_at: noon,
        latency_ms: 0,
        model: "gpt-4o-mini",
        input_tokens: Number(input),
        output_tokens: Number(output),
      } as Event);
      const telling = tell(own, [span]);
      isTold.resolve();
      await telling;
      while (!(await reader?.read())?.done);
      expect(own.events()).toMatchObject([{ source: "gateway", output_tokens: Number(output) }]);
    } finally {
      isTold.resolve();
      await own.stop();
      await held.stop();
    }
  });

  it("ING-011 does not matter with traceparent: the span of a call in flight is that call", async () => {
    const isTold = Promise.withResolvers<void>();
    const held = serveProvider("openai", { answer: () => isTold.promise.then(() => undefined) });
    const own = await startTestGateway({ baseUrls: { openai: held.url } });
    try {
      const [traceId, spanId] = [newTraceId(), newSpanId()];
      const calling = call(own, undefined, { traceparent: traceparentOf(traceId, spanId) });
      while (held.count === 0) await Bun.sleep(5);
      const span = otlpSpan({ "gen_ai.operation.name": "chat", model: "gpt-4o-mini" }, { traceId, spanId });
      const telling = tell(own, [{ scope: LLMETRY, span }]);
      isTold.resolve();
      await Promise.all([telling, calling]);
      expect(own.events()).toHaveLength(1);
    } finally {
      isTold.resolve();
      await own.stop();
      await held.stop();
    }
  });

  it("ING-011 does not matter if the call fails: a success that its span reports is another call", async () => {
    const isTold = Promise.withResolvers<void>();
    const failing = serveProvider("openai", {
      answer: () => isTold.promise.then(() => Response.json({ error: { message: "no" } }, { status: 500 })),
    });
    const own = await startTestGateway({ baseUrls: { openai: failing.url } });
    try {
      const calls = Array.from({ length: 3 }, () => ({ traceId: newTraceId(), spanId: newSpanId() }));
      const [early, late, failed] = calls;
      const calling = calls.map(({ traceId, spanId }) =>
        own.post("/v1/chat/completions", hello, { traceparent: traceparentOf(traceId, spanId) }),
      );
      while (failing.count < 3) await Bun.sleep(5);
      const telling = tell(own, [{ scope: LLMETRY, span: directSpan(early) }]);
      isTold.resolve();
      for (const answer of await Promise.all(calling)) expect(answer.status).toBe(500);
      await telling;
      await tell(own, [
        { scope: LLMETRY, span: directSpan(late) },
        { scope: LLMETRY, span: failedSpan(failed) },
      ]);
      const events = own.events();
      expect(events.filter(({ source }) => source === "gateway")).toMatchObject(
        Array(3).fill({ status: "error", cost_microcents: 0 }),
      );
      expect(events.filter(({ source }) => source === "otlp")).toMatchObject([
        { span_id: early?.spanId, cost_microcents: 3_000_000 },
        { span_id: late?.spanId, cost_microcents: 3_000_000 },
      ]);
    } finally {
      isTold.resolve();
      await own.stop();
      await failing.stop();
    }
  });

  it("ING-011 does not matter while the call continues: no success is reported for a call without an answer", async () => {
    const isOver = Promise.withResolvers<void>();
    const held = serveProvider("openai", { answer: () => isOver.promise.then(() => undefined) });
    const own = await startTestGateway({ baseUrls: { openai: held.url }, providerTimeoutMs: 300_000 });
    try {
      const calls = Array.from({ length: 2 }, () => ({ traceId: newTraceId(), spanId: newSpanId() }));
      const [direct, failed] = calls;
      const calling = calls.map(({ traceId, spanId }) =>
        own.post("/v1/chat/completions", hello, { traceparent: traceparentOf(traceId, spanId) }),
      );
      while (held.count < 2) await Bun.sleep(5);
      await tell(own, [
        { scope: LLMETRY, span: directSpan(direct) },
        { scope: LLMETRY, span: failedSpan(failed) },
      ]);
      expect(own.events()).toMatchObject([{ source: "otlp", span_id: direct?.spanId }]);
      isOver.resolve();
      await Promise.all(calling);
      expect(own.events()).toHaveLength(3);
    } finally {
      isOver.resolve();
      await own.stop();
      await held.stop();
    }
  });

  it("ING-011 does not matter across a restart, which loses no linked span", async () => {
    const first = await startTestGateway({ baseUrls: { openai: provider.url } });
    const [early, late] = [await call(first), await call(first, undefined, {}, "classify that, please")];
    const linked = inferenceSpan(early);
    await tell(first, [linked]);
    const id = { "gen_ai.response.id": "chatcmpl-before-the-restart" };
    const direct = { ...early, created_at: early.created_at - 60_000 };
    await tell(first, [llmetrySpan(direct, {}, id)]);
    await first.stop("keep files");
    const second = await startTestGateway({ dataDir: first.dataDir });
    try {
      const fresh = await newEvents(second, async () => {
        await tell(second, [linked, inferenceSpan(late), inferenceSpan(direct, {}, id)], first.liveKey);
      });
      expect(fresh).toEqual([]);
      // The call has its span; another one of the same instrumentation is a separate call.
      expect(await newEvents(second, () => tell(second, [inferenceSpan(early)], first.liveKey))).toHaveLength(
        1,
      );
      expect(second.verify()).toMatchObject({ ok: true });
    } finally {
      await second.stop();
    }
  });
});
