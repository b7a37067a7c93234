import { afterAll, describe, expect, it } from "bun:test";
import { join } from "node:path";
import { REQUEST_TIMEOUT_MS } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { startGateway } from "@tollgate/gateway/start-gateway";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { CHECK_EVERY_MS } from "@tollgate/storage/config/directory";
import type { Browser } from "../../support/clients/browser-session.ts";
import { chat } from "../../support/clients/call-endpoints.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { next, watch } from "../../support/clients/watch.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { startControlLab } from "../../support/labs/control-lab.ts";
import { startLab } from "../../support/labs/identity-lab.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";

const databases = controlDatabases();

async function memberIdOf(lab: { readonly url: string }, owner: Browser, email: string): Promise<string> {
  const { members } = (await (await owner.send(`${lab.url}/api/members`)).json()) as {
    members: { id: string; email: string }[];
  };
  return members.find(member => member.email === email)?.id ?? "";
}

const asJson = { "content-type": "application/json" };

for (const engine of systemEngines) {
  describe(`the creator of a key, ${engine}`, () => {
    it("SEC-010 is recorded and shown, even for a key created by a key; older keys have none", async () => {
      const database = await databases.open(engine);
      const lab = await startLab(database);
      const orgId = await lab.organization("first");
      const admin = await lab.member(orgId, "admin@example.org", "admin");
      const old = await lab.key(orgId, "live", "write");
      const make = (key: string) =>
        fetch(`${lab.url}/api/keys`, {
          method: "POST",
          headers: { ...asJson, authorization: `Bearer ${key}` },
          body: "{}",
        });
      const first = await jsonBody(await admin.post(`${lab.url}/api/keys`, {}));
      const second = await jsonBody(await make(`${first.key}`));
      const third = await jsonBody(await make(old.text));
      expect([first.created_by, second.created_by, third.created_by]).toEqual([
        "admin@example.org",
        "admin@example.org",
        null,
      ]);
      const list = (await (await admin.send(`${lab.url}/api/keys`)).json()) as {
        keys: { id: string; created_by: string | null }[];
      };
      const shown = Object.fromEntries(list.keys.map(({ id, created_by }) => [id, created_by]));
      expect(shown).toEqual({
        [`${first.id}`]: "admin@example.org",
        [`${second.id}`]: "admin@example.org",
        [`${third.id}`]: null,
        [old.id]: null,
      });
    });

    it("SEC-010 a removed member's keys end in this organization only; so do the sessions of a person without any other membership", async () => {
      const lab = await startLab(await databases.open(engine));
      const [here, elsewhere] = [await lab.organization("here"), await lab.organization("elsewhere")];
      const owner = await lab.member(here, "owner@example.org", "owner");
      const both = "both@example.org";
      await lab.member(here, both, "admin");
      const person = await lab.member(elsewhere, both, "admin");
      const keyOf = async (orgId: string) => {
        const made = await person.post(`${lab.url}/api/keys`, {}, { "x-organization-id": orgId });
        return `${(await jsonBody(made)).key}`;
      };
      const keys = [await keyOf(here), await keyOf(elsewhere)];
      const statuses = () =>
        Promise.all(
          keys.map(
            async key =>
              (await fetch(`${lab.url}/api/organization`, { headers: { authorization: `Bearer ${key}` } }))
                .status,
          ),
        );
      expect(await statuses()).toEqual([200, 200]);
      const remove = async (email: string) =>
        await owner.send(`${lab.url}/api/members/${await memberIdOf(lab, owner, email)}`, {
          method: "DELETE",
        });
      expect((await remove(both)).status).toBe(204);
      expect(await statuses()).toEqual([401, 200]);
      expect((await person.send(`${lab.url}/api/account`)).status).toBe(200);

      const guest = await lab.member(here, "guest@example.org", "viewer");
      expect((await remove("guest@example.org")).status).toBe(204);
      expect((await guest.send(`${lab.url}/api/account`)).status).toBe(401);
    });
  });
}

it("SEC-010 keys from the command line are marked as such", async () => {
  const store = await ControlStore.open(await databases.place("sqlite"));
  const { id } = await store.createOrganization("first", "pro", 0);
  await store.createKey(id, "live", "write", 0);
  expect(await store.keysOf(id)).toMatchObject([{ created_by: "cli" }]);
  await store.close();
});

describe("a key whose creator is demoted or removed", () => {
  const open: { stop(): Promise<unknown> }[] = [];
  afterAll(async () => {
    for (const part of open.toReversed()) await part.stop();
  });

  it("SEC-010 has its creator's current rights: web API, tools, live channel, gateway and ingestion", async () => {
    const lab = await startControlLab();
    const openai = serveProvider("openai");
    open.push(lab, openai);
    let now = Date.now();
    const running = await startGateway({
      host: "127.0.0.1",
      port: 0,
      ledgerPath: join(lab.dataDir, "calls.db"),
      controlPath: join(lab.dataDir, "control.db"),
      durability: "normal",
      providerTimeoutMs: 10_000,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      onDisconnect: "abort",
      baseUrls: { openai: openai.url },
      priceOverrides: null,
      upgradeUrl: "",
      trustedProxies: TrustedProxies.none,
      log: () => {},
      now: () => now,
    });
    open.push({ stop: () => running.stop(0) });
    const { id } = await lab.organization();
    const owner = await lab.member(id, "owner");
    const admin = await lab.member(id, "admin");
    const { user } = (await (await admin.send(`${lab.url}/api/account`)).json()) as {
      user: { email: string };
    };
    const { key } = await jsonBody(await admin.post(`${lab.url}/api/keys`, {}));
    const headers = { ...asJson, authorization: `Bearer ${key}`, "x-provider-key": "provider-key" };
    const post = async (url: string, body: unknown, more = {}) =>
      await fetch(url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
    const budget = { period: "daily", limit_dollars: 5 };
    const setBudget = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "svc_set_budget", arguments: budget },
    };
    const rights = async () => {
      // The gateway checks for changes by its own clock.
      now += CHECK_EVERY_MS;
      const tool = await post(`${lab.url}/mcp`, setBudget, { accept: "application/json, text/event-stream" });
      return {
        reads: (await fetch(`${lab.url}/api/budgets`, { headers })).status,
        writes: (await post(`${lab.url}/api/keys`, {})).status,
        tool: tool.status === 200 ? /"isError":true/.test(await tool.text()) : tool.status,
        calls: (await post(running.url + chat.path, chat.body)).status,
        ingests: (await post(`${running.url}/v1/events`, { events: [] })).status,
        models: (await fetch(`${running.url}/v1/models`, { headers })).status,
      };
    };
    const all = { reads: 200, writes: 201, tool: false, calls: 200, ingests: 400, models: 200 };
    expect(await rights()).toEqual(all);
    const watching = await watch(lab.url, { key: `${key}` });
    await next(watching, "totals", () => watching.subscribe(["totals"]));

    const path = `${lab.url}/api/members/${await memberIdOf(lab, owner, user.email)}`;
    const become = (role: string) =>
      owner.send(path, { method: "PATCH", headers: asJson, body: JSON.stringify({ role }) });
    expect((await become("viewer")).status).toBe(200);
    expect(await rights()).toEqual({ ...all, writes: 403, tool: true, calls: 403, ingests: 403 });
    expect(watching.closed).toBeNull();
    // A key does not gain rights when its creator becomes an owner.
    expect((await become("owner")).status).toBe(200);
    expect(await rights()).toEqual(all);
    const rename = await fetch(`${lab.url}/api/organization`, {
      method: "PATCH",
      headers,
      body: JSON.stringify({ name: "mine" }),
    });
    expect(rename.status).toBe(403);

    expect((await owner.send(path, { method: "DELETE" })).status).toBe(204);
    expect(await rights()).toEqual({
      reads: 401,
      writes: 401,
      tool: 401,
      calls: 401,
      ingests: 401,
      models: 401,
    });
    expect(await watching.ended()).toBe(4401);
  });
});
