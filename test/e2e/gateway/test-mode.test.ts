import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Mode } from "@tollgate/core/event";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { magicInputs } from "@tollgate/simulator/magic-inputs";
import { callEndpoints, chat, chatModels } from "../../support/clients/call-endpoints.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";

let gateway: TestGateway;
let trap: ReturnType<typeof Bun.serve>;
let connections = 0;

beforeAll(async () => {
  // Nothing may arrive here: a call with a test key never leaves the process.
  trap = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      connections++;
      return new Response("caught", { status: 418 });
    },
  });
  const url = `http://127.0.0.1:${trap.port}`;
  gateway = await startTestGateway({
    baseUrls: { openai: url, anthropic: url, google: url, xai: url },
    providerTimeoutMs: 200,
    tier: "enterprise",
  });
});
afterAll(async () => {
  await gateway.stop();
  await trap.stop(true);
});

const inTestMode = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.post(path, body, {
    authorization: `Bearer ${gateway.testKey}`,
    "x-provider-key": "anything",
    ...headers,
  });
const say = (model: string, content: string, stream = false) => ({
  model,
  stream,
  max_tokens: 60,
  messages: [{ role: "user", content }],
});

/** Removes what may differ between two equal answers. */
const withoutTimes = (text: string) => text.replaceAll(/"created(_at)?":\s*\d+/g, '"created":0');

describe("a call with a test key", () => {
  for (const provider of providerIds) {
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      for (const stream of [false, true]) {
        it(`GW-043 ${provider}${stream ? ", streamed," : ""} with ${path}: answered without a connection, and reproducibly`, async () => {
          const body = say(chatModels[provider], "Tell me something", stream);
          const answers = [await inTestMode(path, body), await inTestMode(path, body)];
          const texts = await Promise.all(answers.map(answer => answer.text()));
          expect(answers.map(answer => answer.status)).toEqual([200, 200]);
          expect(withoutTimes(texts[1] ?? "")).toBe(withoutTimes(texts[0] ?? "nothing"));
          const type = answers[0]?.headers.get("content-type") ?? "";
          expect(type.startsWith(stream ? "text/event-stream" : "application/json")).toBe(true);
          if (stream)
            expect(texts[0]).toContain(path === "/v1/messages" ? "event: message_stop" : "data: [DONE]");
          const event = gateway.events().at(-1);
          expect(event).toMatchObject({
            mode: "test",
            provider,
            status: "success",
            usage_source: "provider",
            stream,
          });
          expect([event && event.output_tokens > 0, connections]).toEqual([true, 0]);
        });
      }
    }
  }

  for (const { path, body } of callEndpoints.slice(2)) {
    it(`GW-043 ${path} is also answered by the simulator`, async () => {
      expect((await inTestMode(path, body)).status).toBe(200);
      expect([gateway.events().at(-1)?.mode, connections]).toEqual(["test", 0]);
    });
  }

  it("GW-048 needs a provider key like any call, and accepts any", async () => {
    expect((await inTestMode(chat.path, chat.body, { "x-provider-key": "" })).status).toBe(400);
    expect((await inTestMode(chat.path, chat.body, { "x-provider-key": "x" })).status).toBe(200);
  });
});

describe("magic inputs", () => {
  const statusOf = (input: keyof typeof magicInputs, provider: ProviderId) =>
    magicInputs[input].status?.[provider];

  for (const provider of providerIds) {
    const model = chatModels[provider];
    for (const input of ["rate_limit", "overload"] as const) {
      for (const stream of [false, true]) {
        it(`GW-044 ${input} at ${provider}${stream ? ", streamed" : ""}: the provider's own status`, async () => {
          const answer = await inTestMode(chat.path, say(model, `tollgate:simulate=${input}`, stream));
          expect([answer.status, answer.headers.get("x-gateway-error-source")]).toEqual([
            statusOf(input, provider) ?? 0,
            "provider",
          ]);
          expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } });
          expect(gateway.events().at(-1)).toMatchObject({
            status: "error",
            http_status: answer.status,
            cost_microcents: 0,
          });
        });
      }
    }

    it(`GW-044 hang at ${provider}: 504, and the event has status timeout`, async () => {
      const answer = await inTestMode(chat.path, say(model, "tollgate:simulate=hang"));
      expect([answer.status, answer.headers.get("x-gateway-error-source")]).toEqual([504, null]);
      expect(gateway.events().at(-1)).toMatchObject({ status: "timeout", http_status: null });
    });

    it(`GW-044 reset at ${provider}: 502, or an error frame once the stream has started`, async () => {
      expect((await inTestMode(chat.path, say(model, "tollgate:simulate=reset"))).status).toBe(502);
      expect(gateway.events().at(-1)).toMatchObject({ status: "error", usage_source: "none" });
      const streamed = await inTestMode(chat.path, say(model, "tollgate:simulate=reset", true));
      const text = await streamed.text();
      expect([streamed.status, text.includes('"error"'), text.includes("[DONE]")]).toEqual([
        200,
        true,
        false,
      ]);
      expect(gateway.events().at(-1)).toMatchObject({ status: "error", usage_source: "estimated" });
    });

    it(`GW-044 refusal at ${provider}: a completed call in which the model declines`, async () => {
      const answer = await inTestMode(chat.path, say(model, "tollgate:simulate=refusal"));
      expect(answer.status).toBe(200);
      expect(gateway.events().at(-1)).toMatchObject({ status: "success", http_status: 200 });
    });

    it(`GW-044 error_after_200 at ${provider}: the provider's error frame ends the stream`, async () => {
      const answer = await inTestMode(chat.path, say(model, "tollgate:simulate=error_after_200", true));
      const text = await answer.text();
      expect([answer.status, text.includes('"error"')]).toEqual([200, true]);
      expect(gateway.events().at(-1)?.status).toBe("error");
    });
  }
});

describe("test and live", () => {
  it("GW-045 GW-048 a test call does not affect live numbers, nor a live call test numbers: count, month, window, metrics, agents", async () => {
    const numbers = async (mode: Mode) => {
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      return {
        events: gateway.events().filter(event => event.mode === mode).length,
        // Test calls have no monthly count.
        month: mode === "live" ? gateway.reader.monthlyCalls() : [],
        agents: gateway.reader.agents().filter(agent => agent.mode === mode),
        metrics: metrics.split("\n").filter(line => line.includes(`mode="${mode}"`)),
      };
    };
    const remaining = (answer: Response) => Number(answer.headers.get("ratelimit-remaining"));
    const call = {
      live: () => gateway.post(chat.path, chat.body, { "x-agent-id": "live-agent" }),
      test: () => inTestMode(chat.path, chat.body, { "x-agent-id": "test-agent" }),
    };
    for (const [calling, still] of [
      ["test", "live"],
      ["live", "test"],
    ] as const) {
      const first = await call[still]();
      const [before, own] = [await numbers(still), await numbers(calling)];
      for (let made = 0; made < 5; made++) await call[calling]();
      expect(await numbers(still)).toEqual(before);
      expect((await numbers(calling)).events).toBe(own.events + 5);
      expect(remaining(first) - remaining(await call[still]())).toBe(1);
    }
  });

  it("keeps its responses for its organization, whatever provider key the call has", async () => {
    const other = await gateway.store.createOrganization("other", "enterprise", Date.now());
    const { key } = await gateway.store.createKey(other.id, "test", "write", Date.now());
    const asOther = { authorization: `Bearer ${key}`, "x-provider": "openai", "x-provider-key": "anything" };
    const created = await inTestMode("/v1/responses", { model: "gpt-4o-mini", input: "A secret" });
    const { id } = (await created.json()) as { readonly id: string };
    for (const path of [`/v1/responses/${id}`, `/v1/responses/${id}/input_items`]) {
      const own = { authorization: `Bearer ${gateway.testKey}` };
      const read = (headers: object) =>
        fetch(gateway.url + path, { headers: { ...asOther, ...headers } }).then(({ status }) => status);
      expect([await read(own), await read({})]).toEqual([200, 404]);
    }
    const body = { model: "gpt-4o-mini", input: "Go on", previous_response_id: id };
    expect((await gateway.post("/v1/responses", body, asOther)).status).toBe(400);
    expect((await inTestMode("/v1/responses", body)).status).toBe(200);
  });

  it("REL-005 the ledger verifies with both", () => {
    expect(gateway.verify()).toMatchObject({ ok: true, open_intents: 0 });
  });
});
