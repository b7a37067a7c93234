import { describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import { digestOf } from "@tollgate/storage/config/api-key";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { sql } from "kysely";
import { Browser } from "../../support/clients/browser-session.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type Lab, startLab } from "../../support/labs/identity-lab.ts";

const databases = controlDatabases();

const call = (lab: Lab, method: string, path: string, key: string, body?: unknown) =>
  fetch(`${lab.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const setStatus = (lab: Lab, orgId: string, status: string) =>
  lab.db.updateTable("organizations").set({ status }).where("id", "=", orgId).execute();

it("SEC-003 the text of a key created over the web API is in no file of the store", async () => {
  const place = await databases.place("sqlite");
  if (place.kind !== "sqlite") throw new Error("not the embedded store");
  const database = await openControlDatabase(place);
  const lab = await startLab(database);
  const admin = await lab.member(await lab.organization("first"), "a@example.org", "admin");
  const { key } = await jsonBody(await admin.post(`${lab.url}/api/keys`, {}));
  const secret = `${key}`.slice("sk_live_".length);
  const check = async () => {
    for (const file of [place.path, `${place.path}-wal`, `${place.path}-shm`].filter(existsSync)) {
      const bytes = Buffer.from(await Bun.file(file).arrayBuffer());
      expect([file, bytes.includes(secret)]).toEqual([file, false]);
    }
  };
  await check();
  await database.close();
  await check();
});

for (const engine of systemEngines) {
  describe(`API keys, ${engine}`, () => {
    it("AUTH-002 AUTH-006 SEC-003 WEB-012 a key is shown once, listed by its last four characters, stored only as SHA-256", async () => {
      const { db, ...database } = await databases.open(engine);
      const lab = await startLab({ db, ...database });
      const orgId = await lab.organization("first");
      const admin = await lab.member(orgId, "a@example.org", "admin");
      for (const [body, prefix] of [
        [{ name: "ci" }, /^sk_live_\w{40,}$/],
        [{ name: "tests", mode: "test", scope: "read" }, /^sk_test_\w{40,}$/],
      ] as const) {
        const answer = await admin.post(`${lab.url}/api/keys`, body);
        expect(answer.status).toBe(201);
        const made = await jsonBody(answer);
        const text = `${made.key}`;
        expect(text).toMatch(prefix);
        expect(made).toMatchObject({ name: body.name, last_four: text.slice(-4), revoked_at: null });
        expect((await call(lab, "GET", "/api/organization", text)).status).toBe(200);

        const list = await (await admin.send(`${lab.url}/api/keys`)).text();
        expect(list).toContain(text.slice(-4));
        expect(list).not.toContain(text);
        const { rows } = await sql`SELECT * FROM api_keys`.execute(db);
        expect(JSON.stringify(rows)).not.toContain(text);
        expect(JSON.stringify(rows)).toContain(digestOf(text));
      }
    });

    it("AUTH-010 a key is identified by its digest, whatever its prefix, in either header", async () => {
      const lab = await startLab(await databases.open(engine));
      const { id } = await lab.key(await lab.organization("first"), "live", "read");
      const old = "al_from_an_older_installation";
      await lab.db
        .updateTable("api_keys")
        .set({ digest: digestOf(old) })
        .where("id", "=", id)
        .execute();
      expect((await call(lab, "GET", "/api/organization", old)).status).toBe(200);
      for (const headers of [{ "x-api-key": old }, { authorization: "Basic dTpw", "x-api-key": old }]) {
        expect((await fetch(`${lab.url}/api/organization`, { headers })).status).toBe(200);
      }
    });

    it("AUTH-007 a key with scope read cannot change anything", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const { text, id } = await lab.key(orgId, "live", "read");
      for (const [method, path, body] of [
        ["PATCH", "/api/organization", { name: "mine" }],
        ["POST", "/api/keys", {}],
        ["DELETE", `/api/keys/${id}`, undefined],
        ["POST", "/api/members", { email: "b@example.org", role: "owner" }],
      ] as const) {
        const answer = await call(lab, method, path, text, body);
        expect([path, answer.status]).toEqual([path, 403]);
        expect((await jsonBody(answer)).error).toBeString();
      }
      expect(await jsonBody(await call(lab, "GET", "/api/organization", text))).toMatchObject({
        name: "first",
      });
      expect(await jsonBody(await call(lab, "GET", "/api/members", text))).toEqual({
        members: [],
        next_cursor: null,
      });
    });

    it("AUTH-004 WEB-012 a revoked key is 401 immediately; another organization's key is not found", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const mine = await lab.key(orgId, "live", "write");
      const doomed = await lab.key(orgId, "live", "write");
      const foreign = await lab.key(await lab.organization("second"), "live", "write");
      expect((await call(lab, "GET", "/api/organization", doomed.text)).status).toBe(200);
      expect((await call(lab, "DELETE", `/api/keys/${doomed.id}`, mine.text)).status).toBe(204);
      const refused = await call(lab, "GET", "/api/organization", doomed.text);
      expect(refused.status).toBe(401);
      expect(refused.headers.get("x-should-retry")).toBe("false");
      expect((await call(lab, "DELETE", `/api/keys/${foreign.id}`, mine.text)).status).toBe(404);
      expect((await call(lab, "GET", "/api/organization", foreign.text)).status).toBe(200);
    });

    it("AUTH-003 a key of an inactive or suspended organization is 403, and works again when it is active", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const { text } = await lab.key(orgId, "live", "read");
      const browser = await lab.member(orgId, "a@example.org", "owner");
      for (const status of ["inactive", "suspended"]) {
        await setStatus(lab, orgId, status);
        expect((await call(lab, "GET", "/api/organization", text)).status).toBe(403);
        expect((await browser.send(`${lab.url}/api/organization`)).status).toBe(403);
      }
      await setStatus(lab, orgId, "active");
      expect((await call(lab, "GET", "/api/organization", text)).status).toBe(200);
      expect((await browser.send(`${lab.url}/api/organization`)).status).toBe(200);
    });

    it("nothing works without a credential, or with a wrong one next to a valid cookie", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const browser = await lab.member(orgId, "a@example.org", "owner");
      for (const path of ["account", "account/sessions", "keys", "members", "organization"]) {
        expect((await fetch(`${lab.url}/api/${path}`)).status).toBe(401);
        for (const headers of [
          { authorization: "Bearer sk_live_invented" },
          { authorization: "Bearer" },
          { authorization: "bearer  " },
          { "x-api-key": "sk_live_invented" },
        ]) {
          expect((await browser.send(`${lab.url}/api/${path}`, { headers })).status).toBe(401);
        }
      }
    });

    it("a test key cannot access anything live: no live key, no member, no name, no price", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const test = await lab.key(orgId, "test", "write");
      const live = await lab.key(orgId, "live", "write");
      expect((await call(lab, "POST", "/api/keys", test.text, { mode: "live" })).status).toBe(403);
      expect((await call(lab, "DELETE", `/api/keys/${live.id}`, test.text)).status).toBe(404);
      const invitation = { email: "b@example.org", role: "owner" };
      expect((await call(lab, "POST", "/api/members", test.text, invitation)).status).toBe(403);
      expect((await call(lab, "PATCH", "/api/organization", test.text, { name: "x" })).status).toBe(403);
      const wide = Object.values(operations).filter((one: AnyOperation) => one.isOrganizationWide);
      expect(wide.map(({ id }) => id)).toEqual(
        expect.arrayContaining([
          "alerts.webhook_secret.rotate",
          "prices.overrides.set",
          "verify.policies.update",
        ]),
      );
      for (const { id, method, path } of wide) {
        const answer = await call(lab, method, path, test.text, method === "GET" ? undefined : {});
        expect([id, answer.status]).toEqual([id, 403]);
        expect([
          id,
          (await call(lab, method, path, live.text, method === "GET" ? undefined : {})).status,
        ]).not.toEqual([id, 403]);
      }
      const address = "https://hooks.example.org/services/SECRET";
      await call(lab, "PATCH", "/api/alerts/preferences", live.text, { slack_webhook: address });
      const shownTo = async (key: string) =>
        (await jsonBody(await call(lab, "GET", "/api/alerts/preferences", key))).slack_webhook;
      expect(await shownTo(live.text)).toBe(address);
      expect(await shownTo((await lab.key(orgId, "live", "read")).text)).toBe("https://hooks.example.org/…");
      const made = await jsonBody(await call(lab, "POST", "/api/keys", test.text, {}));
      expect(made.key).toStartWith("sk_test_");
      expect(await (await call(lab, "GET", "/api/keys", test.text)).text()).not.toContain(live.id);
    });
  });

  describe(`sessions as credentials, ${engine}`, () => {
    it("AUTH-010 a cookie cannot change anything from a foreign origin, with another content type, or without an origin", async () => {
      const lab = await startLab(await databases.open(engine));
      const browser = await lab.member(await lab.organization("first"), "a@example.org", "owner");
      const write = (headers: Record<string, string>) =>
        browser.send(`${lab.url}/api/keys`, { method: "POST", headers, body: JSON.stringify({}) });
      const json = { "content-type": "application/json" };
      const cookie = [...browser.cookies(lab.url)].map(([name, value]) => `${name}=${value}`).join("; ");
      const port = new URL(lab.url).port;
      for (const headers of [
        { ...json, origin: "https://evil.example" },
        { ...json, origin: "null" },
        { ...json, origin: `http://127.0.0.1.evil.example:${port}` },
        { ...json, origin: "http://127.0.0.1:1" },
        { "content-type": "text/plain", origin: lab.url },
        { "content-type": "application/x-www-form-urlencoded", origin: lab.url },
      ]) {
        const answer = await write(headers);
        expect([headers, answer.status]).toEqual([headers, 403]);
      }
      for (const headers of [
        { ...json, cookie },
        { ...json, cookie, "sec-fetch-site": "cross-site" },
        { ...json, cookie, "sec-fetch-site": "same-site" },
      ]) {
        const answer = await fetch(`${lab.url}/api/keys`, { method: "POST", headers, body: "{}" });
        expect([headers, answer.status]).toEqual([headers, 403]);
      }
      const removal = { origin: "https://evil.example" };
      const deleted = await browser.send(`${lab.url}/api/keys/x`, { method: "DELETE", headers: removal });
      expect(deleted.status).toBe(403);
      expect(await jsonBody(await browser.send(`${lab.url}/api/keys`))).toEqual({
        keys: [],
        next_cursor: null,
      });
      for (const headers of [
        { ...json, cookie, "sec-fetch-site": "same-origin" },
        { ...json, cookie, origin: lab.url },
        { ...json, cookie, origin: `http://localhost:${port}` },
      ]) {
        const answer = await fetch(`${lab.url}/api/keys`, { method: "POST", headers, body: "{}" });
        expect(answer.status).toBe(201);
      }
    });

    it("AUTH-010 a foreign page cannot sign anybody in or out", async () => {
      const lab = await startLab(await databases.open(engine));
      const browser = await lab.member(await lab.organization("first"), "a@example.org", "owner");
      const foreign = { origin: "https://evil.example" };
      expect((await browser.post(`${lab.url}/api/auth/sign-out`, {}, foreign)).status).toBe(403);
      const credentials = { email: "a@example.org", password: "x" };
      const signIn = await new Browser().post(`${lab.url}/api/auth/sign-in/email`, credentials, foreign);
      expect(signIn.status).toBe(403);
      expect((await browser.send(`${lab.url}/api/account`)).status).toBe(200);
    });

    it("a socket opens with a cookie only from our own pages", async () => {
      const lab = await startLab(await databases.open(engine));
      const browser = await lab.member(await lab.organization("first"), "a@example.org", "owner");
      const cookie = [...browser.cookies(lab.url)].map(([name, value]) => `${name}=${value}`).join("; ");
      const open = (origin: string) =>
        lab.identity.resolvePrincipal(
          new Request(`${lab.url}/api/live`, { headers: { cookie, origin, upgrade: "websocket" } }),
        );
      await expect(open("https://evil.example")).rejects.toMatchObject({ code: "foreign_origin" });
      expect((await open(lab.url)).actor.kind).toBe("member");
    });

    it("selects among memberships; an organization of others is not found", async () => {
      const lab = await startLab(await databases.open(engine));
      const first = await lab.organization("first");
      const second = await lab.organization("second");
      const third = await lab.organization("third");
      await lab.member(first, "a@example.org", "owner");
      const browser = await lab.member(second, "a@example.org", "viewer");
      const ask = async (orgId?: string) => {
        const headers = orgId === undefined ? {} : { "x-organization-id": orgId };
        return await browser.send(`${lab.url}/api/account`, { headers });
      };
      expect(await jsonBody(await ask())).toMatchObject({ organization: { id: first }, mode: "live" });
      expect(await jsonBody(await ask(second))).toMatchObject({ organization: { id: second } });
      expect((await ask(third)).status).toBe(404);
      const renamed = await browser.send(`${lab.url}/api/organization`, {
        method: "PATCH",
        headers: { "x-organization-id": second, "content-type": "application/json" },
        body: JSON.stringify({ name: "mine" }),
      });
      expect(renamed.status).toBe(403);
      const inTest = await browser.send(`${lab.url}/api/account?mode=test`);
      expect(await jsonBody(inTest)).toMatchObject({ mode: "test" });
      expect((await browser.send(`${lab.url}/api/account?mode=both`)).status).toBe(400);
    });

    it("a session can only be ended from another session of the same person", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const here = await lab.member(orgId, "a@example.org", "viewer");
      const other = await lab.member(orgId, "b@example.org", "viewer");
      const account = await lab.identity.accounts.findByEmail("a@example.org");
      const [session] = await lab.identity.accounts.sessions(account?.id ?? "");
      const end = (browser: Browser) =>
        browser.send(`${lab.url}/api/account/sessions/${session?.id}`, { method: "DELETE" });
      expect((await end(other)).status).toBe(404);
      expect((await here.send(`${lab.url}/api/account`)).status).toBe(200);
      expect((await end(here)).status).toBe(204);
      expect((await here.send(`${lab.url}/api/account`)).status).toBe(401);
    });
  });
}
