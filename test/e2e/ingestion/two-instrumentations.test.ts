import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { newEvents } from "./call-gateway.ts";
import { inferenceSpan, llmetrySpan, tell } from "./instrumented-call.ts";
import { newTraceId } from "./trace-ids.ts";

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
      const call = direct();
      const told = [inferenceSpan(call, {}, id), llmetrySpan(call, {}, id)];
      const fresh = await newEvents(gateway, async () => {
        if (inOne) await tell(gateway, told);
        else await Promise.all(told.map(one => tell(gateway, [one])));
      });
      expect(fresh).toHaveLength(1);
    }
  });

  it("ING-011 is one event if both are in one trace and one reports no answer", async () => {
    const traceId = newTraceId();
    const call = direct();
    const told = [inferenceSpan(call, { traceId }), llmetrySpan(call, { traceId }, answerId())];
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
