import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { join } from "node:path";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/processes/tollgate-process.ts";
import { freshPostgres, type TestDatabase } from "../../support/servers/postgres.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const dataDir = folder("data");
let database: TestDatabase;
let tollgate: RunningTollgate;
let gateway: string;
let key: string;

beforeAll(async () => {
  database = await freshPostgres();
  tollgate = startTollgate(dataDir, { SVC_DATABASE_URL: database.url });
  gateway = await tollgate.ready();
  key = printedKeys(tollgate.stdout).test[0] ?? "";
}, 600_000);
afterAll(async () => {
  await tollgate.stop();
  await database.drop();
});

const call = async (credential = key) =>
  await fetch(gateway + chat.path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${credential}`,
      "x-provider-key": "k",
      "content-type": "application/json",
    },
    body: JSON.stringify(chat.body),
  });

const api = async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${tollgate.addressOf("web")}/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes; a missing field fails the test.
  return (await answer.json()) as any;
};

describe("with SVC_DATABASE_URL, the control plane's data is in PostgreSQL", () => {
  it("the first run's keys work, calls are counted, and the sign-in link works once", async () => {
    await eventually("the key is known", async () => (await call()).status === 200);
    await eventually("the call is counted", async () => {
      const { summary } = await api("GET", "analytics");
      return summary.total_calls === 1 && summary.total_cost_microcents > 0;
    });
    const link = /http:\S*magic-link\S*/.exec(tollgate.stdout)?.[0] ?? "";
    const [first, second] = [
      await fetch(link, { redirect: "manual" }),
      await fetch(link, { redirect: "manual" }),
    ];
    expect([first.headers.get("location"), first.headers.has("set-cookie")]).toEqual(["/welcome", true]);
    expect([second.status, second.headers.has("set-cookie")]).toEqual([302, false]);
  });

  it("BUD-019 the gateway applies budgets created and changed there within a second", async () => {
    const budget = await api("POST", "budgets", {
      period: "monthly",
      limit_microcents: 1,
      enforcement_mode: "hard_block",
    });
    expect((await call()).status).toBe(200);
    await eventually("calls are refused", async () => (await call()).status === 429);
    await api("PATCH", `budgets/${budget.id}`, { limit_microcents: 1_000_000_000 });
    await eventually("calls are let in again", async () => (await call()).status === 200);
  });

  it("AUTH-004 a key revoked on the command line is refused within a second", async () => {
    const { organization } = await api("GET", "account");
    const created = (
      await svc(dataDir, ["key", "create", "--org", organization.id, "--test", "--json"], {
        SVC_DATABASE_URL: database.url,
      })
    ).json() as { id: string; key: string };
    await eventually("it works", async () => (await call(created.key)).status === 200);
    await svc(dataDir, ["key", "revoke", created.id], { SVC_DATABASE_URL: database.url });
    await eventually("it is refused", async () => (await call(created.key)).status === 401);
  });

  it("`user list` and `user link` find the owner there", async () => {
    const settings = { SVC_DATABASE_URL: database.url };
    const owner = { organization: "default", email: "admin@localhost.localdomain", role: "owner" };
    expect((await svc(dataDir, ["user", "list", "--json"], settings)).json()).toMatchObject([owner]);
    const link = await svc(dataDir, ["user", "link", owner.email], settings);
    expect(link).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("/magic-link/verify?token=") });
  });

  it("REL-005 `ledger verify` finds everything derived there consistent with the ledger", async () => {
    const events = async () => (await api("GET", "analytics")).summary.total_calls;
    const verified = await eventuallyVerified();
    expect(verified).toMatchObject({ ok: true, differences: [], events: await events() });
  });

  it("`svc doctor` checks what is available, and reports what it cannot check", async () => {
    const look = async (settings: Record<string, string>) => {
      const { findings } = (await svc(dataDir, ["doctor", "--json"], settings)).json() as {
        findings: { check: string; level: string; message: string }[];
      };
      return findings.filter(({ check }) => ["start", "readers", "clock", "deliveries"].includes(check));
    };
    expect(await look({ SVC_DATABASE_URL: database.url })).toMatchObject([
      { check: "start", level: "ok" },
      { check: "readers", level: "ok", message: expect.stringContaining("the newest") },
      { check: "clock", level: "ok" },
      { check: "deliveries", level: "ok" },
    ]);
    for (const [settings, message] of [
      [{}, "set SVC_DATABASE_URL"],
      [{ SVC_DATABASE_URL: database.url.replace(/:\d+\//, ":9/") }, "cannot be reached"],
    ] as const) {
      const found = { level: "error", message: expect.stringContaining(message) };
      expect(await look(settings)).toMatchObject([found, found, found, found]);
    }
  });

  it("REL-006 started while PostgreSQL is down, the gateway serves from its copy, and commands report the problem", async () => {
    await tollgate.stop();
    const away = database.url.replace(/:\d+\//, ":9/");
    const port = String(new URL(gateway).port);
    tollgate = startTollgate(dataDir, { SVC_DATABASE_URL: away, SVC_GATEWAY_PORT: port });
    await eventually("calls are served", async () => (await call().catch(() => null))?.status === 200);
    await eventually("it is said", () =>
      /PostgreSQL at 127.0.0.1:9\/\w+ cannot be reached/.test(tollgate.stderr),
    );
    const listed = await svc(dataDir, ["org", "list"], { SVC_DATABASE_URL: away });
    expect([listed.exitCode, listed.stderr]).toEqual([2, expect.stringContaining("cannot be reached")]);
    expect(listed.stderr).not.toContain("tollgate@");
  });

  it("refuses to use the copy as the primary database, or to switch databases", async () => {
    const forgotten = await svc(dataDir, ["org", "create", "--name", "x", "--tier", "pro"]);
    expect([forgotten.exitCode, forgotten.stderr]).toEqual([
      2,
      expect.stringContaining("set SVC_DATABASE_URL"),
    ]);
    const embedded = folder("embedded");
    expect((await svc(embedded, ["org", "create", "--name", "x", "--tier", "pro"])).exitCode).toBe(0);
    const moved = await svc(embedded, ["org", "list"], { SVC_DATABASE_URL: database.url });
    expect([moved.exitCode, moved.stderr]).toEqual([2, expect.stringContaining("without PostgreSQL")]);
  });

  it("REL-015 `svc backup` says that PostgreSQL is not included, and the rest can be restored", async () => {
    const target = folder("backup");
    const taken = await svc(dataDir, ["backup", target]);
    expect([taken.exitCode, taken.stdout]).toEqual([
      0,
      expect.stringContaining("NOT included: the PostgreSQL database"),
    ]);
    expect(taken.stdout).toContain("pg_dump BEFORE");
    await tollgate.stop();
    const restoredDir = folder("restored");
    const restored = await svc(restoredDir, ["restore", target]);
    expect([restored.exitCode, restored.stdout]).toEqual([0, expect.stringContaining("restore the dump")]);

    tollgate = startTollgate(restoredDir, { SVC_DATABASE_URL: database.url });
    gateway = await tollgate.ready();
    expect(tollgate.stdout).not.toContain("sk_");
    expect((await call()).status).toBe(200);
    const reader = new LedgerReader(join(restoredDir, "ledger.db"));
    const made = reader.newestSeq();
    reader.close();
    await eventually("the call is counted", async () => {
      const { summary } = await api("GET", "analytics");
      return summary.total_calls === made;
    });
  });
});

/** The follower may be a moment behind the last call. */
async function eventuallyVerified(): Promise<unknown> {
  let value: unknown;
  await eventually("it verifies", async () => {
    const result = await svc(dataDir, ["ledger", "verify", "--json"], { SVC_DATABASE_URL: database.url });
    value = result.json();
    return result.exitCode === 0;
  });
  return value;
}
