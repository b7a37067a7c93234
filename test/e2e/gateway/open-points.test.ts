import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { magicInputs } from "@tollgate/simulator/magic-inputs";
import { callEndpoints, chat } from "../../support/clients/call-endpoints.ts";
import { sendBytes } from "../../support/clients/send-bytes.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";

/** What the specification leaves open and docs/decisions/0004 decides, unless another gateway test covers it. */

const PROVIDER_TAKES_MS = 4321;

let gateway: TestGateway;
let providers: ServedProvider[];
/** The gateway's monotonic clock: it moves only while a provider answers. */
let uptimeMs = 0;
let refusesNext = false;

beforeAll(async () => {
  const answer = () => {
    uptimeMs += PROVIDER_TAKES_MS;
    if (!refusesNext) return undefined;
    refusesNext = false;
    return Response.json({ error: { message: "no such parameter", type: "invalid" } }, { status: 400 });
  };
  const openai = serveProvider("openai", { answer });
  const anthropic = serveProvider("anthropic", { answer });
  const google = serveProvider("google", { answer });
  providers = [openai, anthropic, google];
  gateway = await startTestGateway({
    baseUrls: { openai: openai.url, anthropic: anthropic.url, google: google.url },
    uptimeMs: () => uptimeMs,
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(providers.map(provider => provider.stop()));
});

const lastEvent = () => {
  const event = gateway.events().at(-1);
  if (event === undefined) throw new Error("there is no event");
  return event;
};

for (const { path, body } of callEndpoints) {
  describe(`POST ${path}`, () => {
    it("GW-046 has both headers, and the latency covers the whole call, including the provider's time", async () => {
      const answer = await gateway.post(path, body);
      const { latency_ms, cost_microcents } = lastEvent();
      expect(latency_ms).toBe(PROVIDER_TAKES_MS);
      expect([answer.headers.get("x-gateway-latency"), answer.headers.get("x-gateway-cost")]).toEqual([
        `${latency_ms}ms`,
        String(cost_microcents),
      ]);
    });

    it("GW-047 does not need a Content-Type", async () => {
      const text = JSON.stringify(body);
      const before = gateway.events().length;
      const answer = await sendBytes(gateway.url, [
        `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${gateway.liveKey}\r\n` +
          `x-provider-key: k\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      ]);
      expect([answer.status, gateway.events().length]).toEqual([200, before + 1]);
    });

    it("GW-047 a provider's 400 is an event and names the provider; our own is neither", async () => {
      const before = gateway.events().length;
      refusesNext = true;
      const theirs = await gateway.post(path, body);
      expect([theirs.status, theirs.headers.get("x-gateway-event-id")]).toEqual([400, lastEvent().id]);
      expect(lastEvent()).toMatchObject({ status: "error", http_status: 400, cost_microcents: 0 });
      const ours = await gateway.post(path, "{");
      expect([ours.status, ours.headers.get("x-gateway-event-id")]).toEqual([400, null]);
      expect(gateway.events()).toHaveLength(before + 1);
    });
  });
}

it("GW-046 embeddings of token numbers are sent to openai unchanged, and rejected for google, which does not support them", async () => {
  const input = [[1, 2, 3]];
  const { path } = callEndpoints[2];
  const [openai] = providers;
  expect((await gateway.post(path, { model: "text-embedding-3-small", input })).status).toBe(200);
  expect(openai?.requests.at(-1)?.body).toMatchObject({ input });
  const before = gateway.events().length;
  const refused = await gateway.post(path, { model: "gemini-embedding-001", input });
  expect([refused.status, await refused.json()]).toEqual([400, { error: expect.stringContaining("token") }]);
  expect(gateway.events()).toHaveLength(before);
});

it("GW-047 an agent gets a permanent UUID with its first call", async () => {
  const idOf = (key: string) => gateway.reader.agents().find(agent => agent.agent_key === key)?.id;
  expect(idOf("writer")).toBeUndefined();
  await gateway.post(chat.path, chat.body, { "x-agent-id": "writer" });
  const id = idOf("writer");
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/);
  await gateway.post(chat.path, chat.body, { "x-agent-id": "writer" });
  expect(idOf("writer")).toBe(id);
});

it("GW-048 docs/gateway.md lists exactly the magic inputs", async () => {
  const page = await Bun.file(`${import.meta.dir}/../../../docs/gateway.md`).text();
  const listed = [...page.matchAll(/^\| `tollgate:simulate=(\w+)`/gm)].map(([, input]) => input);
  expect(listed.sort()).toEqual(Object.keys(magicInputs).sort());
});
