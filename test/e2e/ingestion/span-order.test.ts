import { describe, expect, it, onTestFinished } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { simulate } from "@tollgate/simulator/simulate";
import { startTestGateway } from "../../support/labs/test-gateway.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { call, newEvents } from "./call-gateway.ts";
import { inferenceSpan, LLMETRY, llmetrySpan, tell } from "./instrumented-call.ts";
import { otlpSpan, type SpanChange } from "./otlp-span.ts";
import { newSpanId, newTraceId, traceparentOf } from "./trace-ids.ts";

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
      await eventually("the provider was called", () => held.count > 0);
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
      await eventually("the provider was called three times", () => failing.count === 3);
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
      await eventually("the provider was called twice", () => held.count === 2);
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
    const provider = serveProvider("openai", {});
    onTestFinished(() => provider.stop());
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
