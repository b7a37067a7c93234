import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { callEndpoints, chat } from "../../support/clients/call-endpoints.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let gateway: TestGateway;
let openai: ServedProvider;
let anthropic: ServedProvider;
/** How far the gateway's clock is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  openai = serveProvider("openai");
  anthropic = serveProvider("anthropic");
  gateway = await startTestGateway({
    baseUrls: { openai: openai.url, anthropic: anthropic.url },
    now: () => Date.now() + aheadMs,
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([openai.stop(), anthropic.stop()]);
});

/** A call with only these headers as credentials. */
function call(path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-provider-key": "provider-key", "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const refusal = async (answer: Response) => ({
  status: answer.status,
  body: await answer.json(),
  retry: answer.headers.get("x-should-retry"),
  source: answer.headers.get("x-gateway-error-source"),
});
const ours = { retry: "false", source: null };

for (const { path, body } of callEndpoints) {
  describe(`POST ${path}`, () => {
    const missing = { error: "missing API key: send it as Authorization: Bearer <API_KEY>" };
    for (const [what, headers] of [
      ["no key", {}],
      ["an empty bearer", { authorization: "Bearer " }],
      ["another scheme", { authorization: "Basic c2s6c2s=" }],
      ["an empty x-api-key", { "x-api-key": "" }],
    ] as const) {
      it(`AUTH-001 GW-032 answers 401 to ${what}, not retryable`, async () => {
        expect(await refusal(await call(path, body, headers))).toEqual({
          status: 401,
          body: missing,
          ...ours,
        });
      });
    }

    it("AUTH-001 GW-032 answers 401 to a key that is not ours", async () => {
      for (const key of [
        "sk_live_unknown",
        `${gateway.liveKey}x`,
        gateway.liveKey.slice(0, -1),
        "x".repeat(5000),
      ]) {
        const answer = await refusal(await call(path, body, bearer(key)));
        expect(answer).toEqual({ status: 401, body: { error: "Invalid API key" }, ...ours });
      }
    });

    it("GW-022 reads the key from Authorization, case-insensitively, or from x-api-key", async () => {
      for (const headers of [
        { authorization: `bearer ${gateway.liveKey}` },
        { authorization: "Basic dTpw", "x-api-key": gateway.liveKey },
        { authorization: `BEARER  ${gateway.liveKey} ` },
        { "x-api-key": gateway.liveKey },
      ]) {
        expect((await call(path, body, headers)).status).toBe(200);
      }
    });

    it("GW-015 sends the caller's provider key to the provider, and never the service key", async () => {
      for (const headers of [bearer(gateway.liveKey), { "x-api-key": gateway.liveKey }]) {
        await call(path, body, { ...headers, "x-provider-key": "my-own-key" });
        const sent = [openai.requests.at(-1), anthropic.requests.at(-1)].filter(
          request => request !== undefined,
        );
        expect(JSON.stringify(sent.map(request => [request.headers, request.text]))).not.toContain(
          gateway.liveKey,
        );
        expect(JSON.stringify(sent.map(request => request.headers))).toContain("my-own-key");
      }
    });

    it("GW-032 answers 403 to a read-only key", async () => {
      const { key } = await gateway.store.createKey(gateway.orgId, "live", "read", Date.now());
      expect(await refusal(await call(path, body, bearer(key)))).toEqual({
        status: 403,
        body: { error: "this API key may only read; calls need a key with scope write" },
        ...ours,
      });
    });

    for (const status of ["inactive", "suspended"] as const) {
      it(`AUTH-003 GW-032 answers 403 to a key of an organization that is ${status}`, async () => {
        const { id } = await gateway.store.createOrganization("other", "pro", Date.now());
        const { key } = await gateway.store.createKey(id, "live", "write", Date.now());
        await gateway.store.updateOrganization(id, { status });
        expect(await refusal(await call(path, body, bearer(key)))).toEqual({
          status: 403,
          body: { error: `the organization of this API key is ${status}` },
          ...ours,
        });
      });
    }
  });
}

describe("while calls run", () => {
  const changes: [string, number, (org: string, key: string) => Promise<unknown>][] = [
    ["a revoked key", 401, (_org, key) => gateway.store.revokeKey(key, Date.now())],
    ["a suspended organization", 403, org => gateway.store.updateOrganization(org, { status: "suspended" })],
  ];
  for (const [what, status, change] of changes) {
    it(`AUTH-004 LIM-015 ${what} is refused within a second, and no call is admitted afterwards`, async () => {
      const { id } = await gateway.store.createOrganization("o", "enterprise", Date.now());
      const created = await gateway.store.createKey(id, "live", "write", Date.now());
      const answers: { isLater: boolean; status: number }[] = [];
      /** A second has passed since the change, by the gateway's own clock. */
      let isLater = false;
      let isRunning = true;
      const caller = async () => {
        while (isRunning) {
          const begun = { isLater };
          const answer = await call(chat.path, chat.body, bearer(created.key));
          answers.push({ ...begun, status: answer.status });
        }
      };
      const callers = Promise.all([caller(), caller(), caller(), caller()]);
      await eventually(
        "calls are answered",
        () => answers.filter(answer => answer.status === 200).length > 20,
      );
      await change(id, created.id);
      aheadMs += 1000;
      isLater = true;
      await eventually("more calls are answered", () => answers.filter(answer => answer.isLater).length > 20);
      isRunning = false;
      await callers;
      const begunLater = answers.filter(answer => answer.isLater);
      expect(new Set(begunLater.map(answer => answer.status))).toEqual(new Set([status]));
    });
  }

  it("AUTH-003 a reactivated organization is served again", async () => {
    const { id } = await gateway.store.createOrganization("o", "enterprise", Date.now());
    const { key } = await gateway.store.createKey(id, "live", "write", Date.now());
    await gateway.store.updateOrganization(id, { status: "suspended" });
    await eventually("403", async () => (await call(chat.path, chat.body, bearer(key))).status === 403);
    await gateway.store.updateOrganization(id, { status: "active" });
    await eventually("200", async () => (await call(chat.path, chat.body, bearer(key))).status === 200);
  });
});

it("WEB-021 events carry the key with which they were made, streamed or not, or reported", async () => {
  const other = await gateway.store.createKey(gateway.orgId, "live", "write", Date.now());
  const keyOf = async (answer: Response) => {
    await answer.text();
    const id = answer.headers.get("x-gateway-event-id");
    return gateway.events().find(event => event.id === id)?.key_id;
  };
  expect(await keyOf(await gateway.post(chat.path, chat.body))).toBe(gateway.liveKeyId);
  const streamed = { ...chat.body, stream: true };
  expect(await keyOf(await call(chat.path, streamed, bearer(other.key)))).toBe(other.id);
  expect(await keyOf(await call(chat.path, chat.body, { "x-api-key": other.key }))).toBe(other.id);
  const reported = { id: "reported", model: "gpt-4o-mini", input_tokens: 1, output_tokens: 1 };
  expect(await (await call("/v1/events", { events: [reported] }, bearer(other.key))).json()).toMatchObject({
    accepted: 1,
  });
  expect(gateway.events().find(event => event.external_id === "reported")?.key_id).toBe(other.id);
});
