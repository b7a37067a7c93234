import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type ServedProvider, serveProvider } from "@tollgate/simulator/serve-provider";
import { startTestGateway, type TestGateway } from "../../support/test-gateway.ts";
import { otlpRequest, otlpSpan } from "./otlp-span.ts";

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
  const { id } = (await answer.json()) as { id: string };
  expect(id).toStartWith("chatcmpl-");
  const eventId = answer.headers.get("x-gateway-event-id");
  if (!eventId) throw new Error("no event");
  return { responseId: id, eventId };
}

const spanOf = (attributes: Record<string, string>) =>
  otlpRequest(
    otlpSpan({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-4o-mini",
      "gen_ai.usage.input_tokens": 5,
      "gen_ai.usage.output_tokens": 5,
      ...attributes,
    }),
  );

describe("a call that came through the gateway and again by telemetry", () => {
  it("ING-007 is counted once, told by gen_ai.response.id", async () => {
    const { responseId } = await call(gateway);
    const before = gateway.events().length;
    const answer = await gateway.post("/v1/traces", spanOf({ "gen_ai.response.id": responseId }));
    expect(await answer.json()).toEqual({});
    expect(answer.headers.get("x-gateway-cost")).toBe("0");
    // Also when it went through after the first telemetry came.
    const later = await call(gateway);
    await gateway.post("/v1/traces", spanOf({ "gen_ai.response.id": later.responseId }));
    await gateway.post("/v1/events", {
      events: [{ model: "gpt-4o-mini", input_tokens: 1, response_id: later.responseId }],
    });
    expect(gateway.events()).toHaveLength(before + 1);
  });

  it("ING-007 is counted once, told by svc.event_id", async () => {
    const { eventId } = await call(gateway);
    const before = gateway.events().length;
    await gateway.post("/v1/traces", spanOf({ "svc.event_id": eventId }));
    expect(gateway.events()).toHaveLength(before);
  });

  it("ING-007 is counted once after a restart", async () => {
    const first = await startTestGateway({ baseUrls: { openai: provider.url } });
    const { responseId } = await call(first);
    await first.stop("keep files");
    const second = await startTestGateway({ dataDir: first.dataDir });
    try {
      await second.post("/v1/traces", spanOf({ "gen_ai.response.id": responseId }), {
        authorization: `Bearer ${first.liveKey}`,
      });
      expect(second.events()).toHaveLength(1);
    } finally {
      await second.stop();
    }
  });

  it("ING-007 is not taken for one of another organization or of test traffic", async () => {
    const { responseId, eventId } = await call(gateway);
    const other = await gateway.store.createOrganization("other", "enterprise", Date.now());
    const { key } = await gateway.store.createKey(other.id, "live", "write", Date.now());
    const before = gateway.events().length;
    for (const attributes of [{ "gen_ai.response.id": responseId }, { "svc.event_id": eventId }]) {
      await gateway.post("/v1/traces", spanOf(attributes), { authorization: `Bearer ${key}` });
      await gateway.post("/v1/traces", spanOf(attributes), { authorization: `Bearer ${gateway.testKey}` });
    }
    expect(gateway.events()).toHaveLength(before + 4);
  });

  it("ING-007 leaves calls alone that did not: an unknown id is an event", async () => {
    const before = gateway.events().length;
    await gateway.post(
      "/v1/traces",
      spanOf({ "gen_ai.response.id": "chatcmpl-elsewhere", "svc.event_id": "none" }),
    );
    expect(gateway.events()).toHaveLength(before + 1);
  });
});
