import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { join } from "node:path";
import { callEndpoints, chat } from "../../support/clients/call-endpoints.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";

let gateway: TestGateway;
/** Has a short timeout; the other one waits, so that a busy machine does not turn a fault into a timeout. */
let impatient: TestGateway;
let hanging: ServedProvider;

beforeAll(async () => {
  hanging = serveProvider("anthropic", { answer: request => untilLeft(request) });
  const baseUrls = { anthropic: hanging.url };
  gateway = await startTestGateway({ baseUrls, providerTimeoutMs: 600_000 });
  impatient = await startTestGateway({ baseUrls, providerTimeoutMs: 60 });
});
afterAll(async () => {
  await gateway.stop();
  await impatient.stop();
  await hanging.stop();
});

function untilLeft(request: Request): Promise<Response> {
  return new Promise(resolve => {
    request.signal.addEventListener("abort", () => resolve(new Response(null, { status: 499 })));
  });
}

/** Breaks a table under a running gateway while the work runs. */
async function without(file: "ledger.db" | "control.db", table: string, work: () => Promise<void>) {
  const database = new Database(join(gateway.dataDir, file));
  database.run("PRAGMA busy_timeout = 5000");
  database.run(`ALTER TABLE ${table} RENAME TO hidden`);
  try {
    await work();
  } finally {
    database.run(`ALTER TABLE hidden RENAME TO ${table}`);
    database.close();
  }
}

for (const { path, body, canStream, provider } of callEndpoints) {
  for (const stream of canStream ? [false, true] : [false]) {
    const request = { ...body, ...(stream ? { stream } : {}) };
    describe(`POST ${path}${stream ? ", streamed" : ""}`, () => {
      it("GW-027 answers 502 with our own message if the provider cannot be reached, and records it", async () => {
        const forced = provider === "anthropic" ? { model: "gpt-4o-mini" } : {};
        const answer = await gateway.post(path, { ...request, ...forced });
        expect([answer.status, await answer.json()]).toEqual([
          502,
          { error: "openai could not be reached, or did not complete its answer" },
        ]);
        expect(answer.headers.get("x-gateway-error-source")).toBeNull();
        expect(answer.headers.get("x-should-retry")).toBeNull();
        expect(gateway.events().at(-1)).toMatchObject({
          id: answer.headers.get("x-gateway-event-id"),
          status: "error",
          error_code: "provider_unreachable",
          http_status: null,
          usage_source: "none",
          cost_microcents: 0,
        });
      });

      it("GW-030 answers a 500 that reveals nothing if the gateway itself fails, and sends no call", async () => {
        const logged = gateway.logged.length;
        await without("control.db", "api_keys", async () => {
          const answer = await gateway.post(path, request, {
            authorization: `Bearer sk_live_${Math.random()}`,
          });
          expect([answer.status, await answer.json()]).toEqual([500, { error: "internal gateway error" }]);
        });
        expect(gateway.logged.slice(logged).join("\n")).toContain("unexpected fault");
      });

      it("GW-030 answers 500 if the call cannot be recorded, and does not send it", async () => {
        const events = gateway.events().length;
        await without("ledger.db", "agents", async () => {
          const answer = await gateway.post(path, request, { "x-agent-id": `new-${stream}-${provider}` });
          expect([answer.status, await answer.json()]).toEqual([
            500,
            { error: "the call was not made because it cannot be recorded" },
          ]);
        });
        expect(gateway.events().length).toBe(events);
      });
    });
  }
}

for (const endpoint of callEndpoints.filter(({ provider }) => provider === "anthropic")) {
  it(`GW-028 answers 504 with our own message if the provider is silent: POST ${endpoint.path}`, async () => {
    const answer = await impatient.post(endpoint.path, endpoint.body);
    expect([answer.status, await answer.json()]).toEqual([
      504,
      { error: "anthropic did not answer in time" },
    ]);
    expect(impatient.events().at(-1)).toMatchObject({ status: "timeout", error_code: "provider_timeout" });
  });
}

it("GW-031 GW-032 a provider's own error is marked as such, and ours never is", async () => {
  const answer = await gateway.post(
    chat.path,
    { ...chat.body, messages: [{ role: "user", content: "tollgate:simulate=overload" }] },
    { authorization: `Bearer ${gateway.testKey}` },
  );
  expect([answer.status, answer.headers.get("x-gateway-error-source")]).toEqual([503, "provider"]);
  expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } });
});

it("keeps an event that cannot be written, reports it in the metrics, and writes it with a later one", async () => {
  const before = gateway.events().length;
  let id: string | null = null;
  await without("ledger.db", "events", async () => {
    const answer = await gateway.post(chat.path, chat.body, { authorization: `Bearer ${gateway.testKey}` });
    expect(answer.status).toBe(200);
    id = answer.headers.get("x-gateway-event-id");
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain("svc_gateway_unsettled_events 1");
  });
  await gateway.post(chat.path, chat.body, { authorization: `Bearer ${gateway.testKey}` });
  expect(
    gateway
      .events()
      .slice(before)
      .map(event => event.id),
  ).toContain(id ?? "none");
  expect(gateway.events().length).toBe(before + 2);
  expect(gateway.reader.openIntents()).toBe(0);
});
