import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { simulate } from "@tollgate/simulator/simulate";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { type Attributes, otlpRequest, otlpSpan } from "./otlp-span.ts";

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

let prompts = 0;

async function call(to: TestGateway, headers: Record<string, string> = {}) {
  const answer = await to.post(
    "/v1/chat/completions",
    { model: "gpt-4o-mini", messages: [{ role: "user", content: `hello ${prompts++}` }] },
    headers,
  );
  const { id, usage } = (await answer.json()) as {
    id: string;
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  expect(id).toStartWith("chatcmpl-");
  const eventId = answer.headers.get("x-gateway-event-id");
  if (!eventId) throw new Error("no event");
  return { responseId: id, eventId, usage };
}

type Made = Awaited<ReturnType<typeof call>>;

const spanOf = ({ usage }: Pick<Made, "usage">, attributes: Attributes) =>
  otlpRequest(
    otlpSpan({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-4o-mini",
      "gen_ai.usage.input_tokens": usage.prompt_tokens,
      "gen_ai.usage.output_tokens": usage.completion_tokens,
      ...attributes,
    }),
  );

describe("a call through the gateway that telemetry reports again", () => {
  it("ING-007 is counted once, matched by gen_ai.response.id", async () => {
    const made = await call(gateway);
    const before = gateway.events().length;
    const answer = await gateway.post("/v1/traces", spanOf(made, { "gen_ai.response.id": made.responseId }));
    expect(await answer.json()).toEqual({});
    expect(answer.headers.get("x-gateway-cost")).toBe("0");
    // Also for a call made after the first telemetry arrived.
    const later = await call(gateway);
    await gateway.post("/v1/traces", spanOf(later, { "gen_ai.response.id": later.responseId }));
    await gateway.post("/v1/events", {
      events: [
        { model: "gpt-4o-mini", input_tokens: later.usage.prompt_tokens, response_id: later.responseId },
      ],
    });
    expect(gateway.events()).toHaveLength(before + 1);
  });

  it("ING-007 is counted once, matched by svc.event_id", async () => {
    const made = await call(gateway);
    const before = gateway.events().length;
    await gateway.post("/v1/traces", spanOf(made, { "svc.event_id": made.eventId }));
    expect(gateway.events()).toHaveLength(before);
  });

  it("ING-007 is counted once after a restart", async () => {
    const first = await startTestGateway({ baseUrls: { openai: provider.url } });
    const made = await call(first);
    await first.stop("keep files");
    const second = await startTestGateway({ dataDir: first.dataDir });
    const id = { "gen_ai.response.id": made.responseId };
    const authorization = `Bearer ${first.liveKey}`;
    try {
      await second.post("/v1/traces", spanOf(made, id), { authorization });
      expect(second.events()).toHaveLength(1);
      await second.post("/v1/traces", spanOf(made, { ...id, "gen_ai.request.model": "o3" }), {
        authorization,
      });
      expect(second.events()).toHaveLength(2);
    } finally {
      await second.stop();
    }
  });

  it("ING-007 is not confused with one of another organization or of test traffic", async () => {
    const made = await call(gateway);
    const other = await gateway.store.createOrganization("other", "enterprise", Date.now());
    const { key } = await gateway.store.createKey(other.id, "live", "write", Date.now());
    const before = gateway.events().length;
    for (const attributes of [{ "gen_ai.response.id": made.responseId }, { "svc.event_id": made.eventId }]) {
      await gateway.post("/v1/traces", spanOf(made, attributes), { authorization: `Bearer ${key}` });
      await gateway.post("/v1/traces", spanOf(made, attributes), {
        authorization: `Bearer ${gateway.testKey}`,
      });
    }
    expect(gateway.events()).toHaveLength(before + 4);
  });

  it("ING-007 does not affect other calls: an unknown id is an event", async () => {
    const before = gateway.events().length;
    await gateway.post(
      "/v1/traces",
      spanOf(
        { usage: { prompt_tokens: 5, completion_tokens: 5 } },
        { "gen_ai.response.id": "chatcmpl-elsewhere", "svc.event_id": "none" },
      ),
    );
    expect(gateway.events()).toHaveLength(before + 1);
  });
});

describe("an id shared by two calls", () => {
  for (const [what, attributes] of [
    ["model", { "gen_ai.request.model": "o3" }],
    ["input", { "gen_ai.usage.input_tokens": 100_000 }],
    ["output", { "gen_ai.usage.output_tokens": 5_000 }],
  ] as const) {
    it(`ING-011 does not hide a call of another ${what}`, async () => {
      const made = await call(gateway);
      const before = gateway.events().length;
      for (const id of [{ "gen_ai.response.id": made.responseId }, { "svc.event_id": made.eventId }]) {
        await gateway.post("/v1/traces", spanOf(made, { ...id, ...attributes }));
      }
      expect(gateway.events()).toHaveLength(before + 2);
    });
  }

  it("ING-011 does not hide an ingested event of another model, tokens or day", async () => {
    const { responseId, usage } = await call(gateway);
    const same = { model: "gpt-4o-mini", input_tokens: usage.prompt_tokens, response_id: responseId };
    const events = [
      { ...same, timestamp: Date.now() - 20 * 3_600_000 },
      { ...same, timestamp: Date.now() - 30 * 3_600_000 },
      { ...same, model: "o3" },
      { ...same, input_tokens: 100_000 },
    ];
    const answer = await gateway.post("/v1/events", { events });
    expect(await answer.json()).toEqual({ accepted: 3, duplicates: 1, rejected: [] });
  });

  it("ING-011 does not hide earlier calls: each is matched to its own span, by tokens and time", async () => {
    const own = serveProvider("openai", {
      answer: async request => {
        const { body, headers, status } = await simulate("openai", request, { paceMs: 0 });
        const answer = (await new Response(body).json()) as object;
        return Response.json({ ...answer, id: "chatcmpl-7" }, { status, headers });
      },
    });
    const small = await startTestGateway({ baseUrls: { openai: own.url } });
    try {
      for (const content of ["one", "one two three four", "one two three four five six seven eight"]) {
        const body = { model: "gpt-4o-mini", messages: [{ role: "user", content }] };
        await (await small.post("/v1/chat/completions", body)).arrayBuffer();
      }
      const events = small.events();
      const tokens = events.map(event => `${event.input_tokens} ${event.output_tokens}`);
      expect(new Set(tokens).size).toBe(3);
      const spans = events.map(event =>
        otlpSpan(
          {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4o-mini",
            "gen_ai.response.id": "chatcmpl-7",
            "gen_ai.usage.input_tokens": event.input_tokens,
            "gen_ai.usage.output_tokens": event.output_tokens,
          },
          { startMs: event.created_at - 5, durationMs: event.latency_ms + 10 },
        ),
      );
      await small.post("/v1/traces", otlpRequest(...spans));
      expect(small.events()).toHaveLength(3);
    } finally {
      await small.stop();
      await own.stop();
    }
  });
});
