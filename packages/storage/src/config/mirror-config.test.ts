import { Database } from "bun:sqlite";
import { afterAll, describe, expect, it } from "bun:test";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { CHECK_EVERY_MS, Directory } from "./directory.ts";
import { ConfigMirror, MIRROR_POLL_MS } from "./mirror-config.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const undo: (() => void)[] = [];
afterAll(() => {
  for (const step of undo.reverse()) step();
});

const organization = {
  id: "org",
  name: "First",
  tier: "pro",
  status: "active",
  burst_per_minute: 7,
  monthly_calls: null,
  hash_salt: "salt",
  optimization_model_v3: 1,
  created_at: 1_700_000_000_000,
};
const key = {
  id: "key",
  org_id: "org",
  digest: "digest",
  last_four: "abcd",
  mode: "live",
  scope: "write",
  role: "admin",
  name: "CI",
  created_by: "a@example.org",
  created_by_user: "user",
  created_at: 1,
  revoked_at: null,
};
const member = {
  id: "member",
  org_id: "org",
  user_id: "user",
  email: "a@example.org",
  role: "admin",
  status: "active",
  invitation: "digest of a code",
  created_at: 1,
  signed_out_at: 2,
};
const settings = {
  agent_id: "agent",
  org_id: "org",
  mode: "live",
  agent_key: "default",
  name: null,
  metadata: "{}",
  archived_at: null,
  paused_at: 5,
  breaker_off: 1,
  updated_at: 5,
};
const budget = {
  id: "budget",
  org_id: "org",
  mode: "live",
  agent_id: null,
  agent_key: null,
  key_id: "key",
  customer_id: null,
  period: "daily",
  limit_microcents: 10_000_000_000,
  warning_pct: 80,
  warning_is_default: 0,
  enforcement_mode: "hard_block",
  strict: 0,
  allow_unpriced: 1,
  status: "active",
  since: 1,
  created_at: 1,
  updated_at: 1,
};

describe("the mirror of the configuration", () => {
  it("copies everything on a change, and nothing otherwise", async () => {
    const database = await databases.open("postgres");
    const { db } = database;
    const path = inFolder("control.db");
    const mirror = await ConfigMirror.open(database, path);
    const local = new Database(path, { readonly: true });
    undo.push(
      () => mirror.close(),
      () => local.close(),
    );
    await db.insertInto("organizations").values(organization).execute();
    await db.insertInto("members").values(member).execute();
    await db.insertInto("api_keys").values(key).execute();
    await db.insertInto("agent_settings").values(settings).execute();
    await db.insertInto("budgets").values(budget).execute();
    expect(await mirror.syncIfChanged()).toBe(true);
    const expected = {
      organizations: [organization],
      members: [member],
      api_keys: [key],
      agent_settings: [settings],
      budgets: [budget],
    };
    for (const [table, rows] of Object.entries(expected)) {
      // Compares every column: one that the mirror forgets is null here.
      expect(local.query(`SELECT * FROM ${table}`).all()).toEqual(rows);
    }
    expect(await mirror.syncIfChanged()).toBe(false);

    await db.deleteFrom("budgets").execute();
    await db.updateTable("organizations").set({ status: "suspended" }).execute();
    expect(await mirror.syncIfChanged()).toBe(true);
    expect(local.query("SELECT * FROM budgets").all()).toEqual([]);
    expect(local.query("SELECT status FROM organizations").all()).toEqual([{ status: "suspended" }]);
  });

  it("AUTH-004 LIM-015 brings a demotion of a key's creator, a suspension and a revocation to every node within a second, even if the key is cached", async () => {
    const database = await databases.open("postgres");
    const { db } = database;
    const stop = new AbortController();
    await db.insertInto("organizations").values(organization).execute();
    await db.insertInto("members").values(member).execute();
    await db.insertInto("api_keys").values(key).execute();
    const opened = ["node-1.db", "node-2.db", "node-3.db"].map(async name => {
      const mirror = await ConfigMirror.open(database, inFolder(name));
      const running = mirror.run(stop.signal);
      const directory = new Directory(inFolder(name));
      undo.push(
        () => mirror.close(),
        () => directory.close(),
      );
      return { running, find: () => directory.findByDigest("digest", Date.now()) };
    });
    const nodes = await Promise.all(opened);
    const everywhere = (what: string, holds: (found: ReturnType<Directory["findByDigest"]>) => boolean) =>
      eventually(what, () => nodes.every(({ find }) => holds(find())));
    await everywhere("the key is known", found => found?.status === "active");
    await db.updateTable("members").set({ role: "viewer" }).execute();
    await everywhere("it may only read", found => found?.permission === "read");
    await db.updateTable("organizations").set({ status: "suspended" }).execute();
    await everywhere("it is suspended", found => found?.status === "suspended");
    await db.updateTable("api_keys").set({ revoked_at: 9 }).execute();
    await everywhere("it is revoked", found => found === null);
    // Should every notification be lost, the polling intervals bound the delay, cache or not.
    expect(MIRROR_POLL_MS + CHECK_EVERY_MS).toBeLessThan(1000);
    stop.abort();
    await Promise.all(nodes.map(({ running }) => running));
  });

  it("LIM-015 hears of a change when it is committed, long before it would look again", async () => {
    const database = await databases.open("postgres");
    const { db } = database;
    const stop = new AbortController();
    await db.insertInto("organizations").values(organization).execute();
    await db.insertInto("members").values(member).execute();
    await db.insertInto("api_keys").values(key).execute();
    const mirror = await ConfigMirror.open(database, inFolder("notified.db"));
    const running = mirror.run(stop.signal, 3_600_000);
    const directory = new Directory(inFolder("notified.db"));
    undo.push(
      () => mirror.close(),
      () => directory.close(),
    );
    const find = () => directory.findByDigest("digest", Date.now());
    await eventually("the key is known", () => find() !== null);
    for (const status of ["suspended", "active"] as const) {
      await db.updateTable("organizations").set({ status }).execute();
      await eventually(`it is ${status}`, () => find()?.status === status);
    }
    await db.updateTable("api_keys").set({ revoked_at: 9 }).execute();
    await eventually("it is revoked", () => find() === null);
    stop.abort();
    await running;
  });
});
