import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { digestOf } from "@tollgate/storage/config/api-key";
import { sql } from "kysely";
import type { Browser } from "../../support/clients/browser-session.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { next, watch } from "../../support/clients/watch.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

const cookieOf = (browser: Browser) =>
  [...browser.cookies(lab.url)].map(([name, value]) => `${name}=${value}`).join("; ");

describe("access to the live channel", () => {
  it("LIVE-001 opens with any API key, even a read-only one", async () => {
    const { liveKey, readKey, testKey } = await lab.organization();
    for (const key of [liveKey, readKey, testKey]) {
      const watching = await watch(lab.url, { key });
      await next(watching, "totals", () => watching.subscribe(["totals"]));
      expect(watching.closed).toBeNull();
      await watching.close();
    }
    const byHeader = await watch(lab.url, { headers: { "x-api-key": readKey } });
    expect(byHeader.closed).toBeNull();
    await byHeader.close();
  });

  it("LIVE-001 opens with a session from our own pages, in the mode and organization of the URL", async () => {
    const { id, addEvents } = await lab.organization();
    const viewer = await lab.member(id, "viewer");
    await addEvents({ mode: "test" }, { mode: "test" }, { mode: "live" });
    for (const [query, calls] of [
      ["", 1],
      ["?mode=live", 1],
      [`?mode=test&organization_id=${id}`, 2],
    ] as const) {
      const watching = await watch(lab.url, {
        query,
        headers: { cookie: cookieOf(viewer), origin: lab.url },
      });
      const totals = await next(watching, "totals", () => watching.subscribe(["totals"]));
      expect([query, totals.data.today.calls]).toEqual([query, calls]);
      await watching.close();
    }
  });

  it("LIVE-001 refuses missing or wrong credentials and foreign pages with the web API's errors", async () => {
    const { id, readKey } = await lab.organization();
    const other = await lab.organization();
    const cookie = cookieOf(await lab.member(id, "owner"));
    const cases: [Record<string, string>, number, string][] = [
      [{}, 401, ""],
      [{ authorization: "Bearer sk_live_nobody" }, 401, ""],
      [{ authorization: "Bearer sk_live_nobody", cookie, origin: lab.url }, 401, ""],
      [{ cookie: "tollgate.session_token=forged", origin: lab.url }, 401, ""],
      [{ cookie, origin: "https://evil.example" }, 403, ""],
      [{ cookie, origin: "null" }, 403, ""],
      [{ cookie }, 403, ""],
      [{ cookie, origin: lab.url }, 404, `?organization_id=${other.id}`],
      [{ cookie, origin: lab.url }, 400, "?mode=both"],
    ];
    for (const [headers, status, query] of cases) {
      const answer = await fetch(`${lab.url}/api/live${query}`, { headers: { ...handshake, ...headers } });
      expect([headers, answer.status]).toEqual([headers, status]);
      expect(await jsonBody(answer)).toEqual({ error: expect.any(String) });
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
    const plain = await lab.send("/api/live", { key: readKey });
    expect([plain.status, plain.headers.get("upgrade")]).toEqual([400, "websocket"]);
    expect((await lab.send("/api/live", { key: readKey, method: "POST" })).status).toBe(404);
  });

  it("LIVE-008 closes the viewer of a revoked key (4401) within a second, and no other", async () => {
    const { readKey, liveKey } = await lab.organization();
    const revoked = await watch(lab.url, { key: readKey });
    const kept = await watch(lab.url, { key: liveKey });
    await next(revoked, "totals", () => revoked.subscribe(["totals"]));
    await lab.db
      .updateTable("api_keys")
      .set({ revoked_at: lab.clock.now() })
      .where("digest", "=", digestOf(readKey))
      .execute();
    expect(await revoked.ended()).toBe(4401);
    await next(kept, "totals", () => kept.subscribe(["totals"]));
    await kept.close();
  });

  it("LIVE-008 closes every viewer of a suspended organization (4403), and admits none", async () => {
    const { id, readKey } = await lab.organization();
    const cookie = cookieOf(await lab.member(id, "viewer"));
    const byKey = await watch(lab.url, { key: readKey });
    const bySession = await watch(lab.url, { headers: { cookie, origin: lab.url } });
    await lab.db.updateTable("organizations").set({ status: "suspended" }).where("id", "=", id).execute();
    expect([await byKey.ended(), await bySession.ended()]).toEqual([4403, 4403]);
    const again = await lab.send("/api/live", { key: readKey, headers: handshake });
    expect(again.status).toBe(403);
  });

  it("LIVE-008 closes the viewer of a former member (4401)", async () => {
    const { id } = await lab.organization();
    const cookie = cookieOf(await lab.member(id, "viewer"));
    const watching = await watch(lab.url, { headers: { cookie, origin: lab.url } });
    await lab.db.deleteFrom("members").where("org_id", "=", id).execute();
    // A change of membership does not concern the gateway, so another change of the organization triggers the check.
    await lab.db.updateTable("organizations").set({ name: "renamed" }).where("id", "=", id).execute();
    expect(await watching.ended()).toBe(4401);
  });

  it("LIVE-001 an open channel does not extend its session: only user activity does", async () => {
    const { id } = await lab.organization();
    const headers = { cookie: cookieOf(await lab.member(id, "viewer")), origin: lab.url };
    const watching = await watch(lab.url, { headers });
    const other = await lab.organization();
    const last = await watch(lab.url, { key: other.readKey });
    // A session that any request would renew.
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    await sql`UPDATE auth_sessions SET "expiresAt" = ${soon}`.execute(lab.db);
    // Connections are checked in the order of opening: once the last one was, so was ours.
    await lab.db
      .updateTable("api_keys")
      .set({ revoked_at: lab.clock.now() })
      .where("digest", "=", digestOf(other.readKey))
      .execute();
    expect(await last.ended()).toBe(4401);
    const expiries = async () =>
      (await sql<{ at: string }>`SELECT DISTINCT "expiresAt" AS at FROM auth_sessions`.execute(lab.db)).rows;
    expect([await expiries(), watching.closed]).toEqual([[{ at: soon }], null]);
    // The user's own request does renew it.
    await (await watch(lab.url, { headers })).close();
    expect(await expiries()).not.toEqual([{ at: soon }]);
    await watching.close();
  });

  it("LIVE-008 accepts 2,500 connections per organization, and closes the next one (4429); further ones are refused (429)", async () => {
    const { readKey } = await lab.organization();
    const open: WebSocket[] = [];
    const connect = () =>
      new Promise<void>((resolve, reject) => {
        const socket = new WebSocket(`${lab.url.replace("http", "ws")}/api/live`, {
          headers: { authorization: `Bearer ${readKey}` },
        });
        open.push(socket);
        socket.onopen = () => resolve();
        socket.onerror = () => reject(new Error("refused"));
      });
    for (let made = 0; made < 2500; made += 100) await Promise.all(Array.from({ length: 100 }, connect));
    // Two more are admitted, and closed because the others are open.
    lab.uptime.advance(40);
    for (let more = 0; more < 2; more++) {
      expect(await (await watch(lab.url, { key: readKey })).ended()).toBe(4429);
    }
    // A wall clock that is set forward admits nobody earlier.
    lab.clock.advance(3_600_000);
    // An organization that keeps opening connections is throttled before the handshake, but no other is.
    const refused = await lab.send("/api/live", { key: readKey, headers: handshake });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    const other = await lab.organization();
    const elsewhere = await watch(lab.url, { key: other.readKey });
    expect(elsewhere.closed).toBeNull();
    await elsewhere.close();
    for (const socket of open) socket.terminate();
  });
});
