import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { SQL } from "bun";
import { builtProgram } from "../../../scripts/built-program.ts";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  plainEnvironment,
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
let postgres: SQL;
let tollgate: RunningTollgate;
let key: string;

const call = async () => {
  const answer = await fetch((await tollgate.ready()) + chat.path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
    body: JSON.stringify(chat.body),
  });
  await answer.text();
  return answer.status;
};

const account = async () => {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${tollgate.addressOf("web")}/api/analytics`, { headers });
  const { summary } = (await answer.json()) as {
    summary: { total_calls: number; total_cost_microcents: number };
  };
  return summary;
};

const migrate = (to: string, settings: Record<string, string> = {}) =>
  svc(dataDir, ["migrate", "--to", to], settings);

beforeAll(async () => {
  database = await freshPostgres();
  postgres = new SQL(database.url, { max: 1, idleTimeout: 0 });
  tollgate = startTollgate(dataDir);
  await tollgate.ready();
  key = printedKeys(tollgate.stdout).test[0] ?? "";
  for (let calls = 0; calls < 5; calls++) expect(await call()).toBe(200);
  await eventually("the calls are counted", async () => (await account()).total_calls === 5);
}, 600_000);
afterAll(async () => {
  await tollgate.stop();
  await postgres.close({ timeout: 0 });
  await database.drop();
});

/** Every insert into the shared ledger, as soon as there is one, waits for an advisory lock. */
const holdShipping = `
  CREATE FUNCTION wait_for_lock() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
  CREATE FUNCTION hold_shipping() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF to_regclass('shared_events') IS NULL THEN RETURN; END IF;
      CREATE OR REPLACE TRIGGER hold_shipping BEFORE INSERT ON shared_events EXECUTE FUNCTION wait_for_lock();
    END $$;
  CREATE EVENT TRIGGER hold_shipping ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
    EXECUTE FUNCTION hold_shipping();`;

describe("svc migrate", () => {
  it("refuses a running instance, a database that is not empty, and what is no database", async () => {
    const running = await migrate(database.url);
    expect([running.exitCode, running.stderr]).toEqual([
      2,
      expect.stringContaining("is running on the data"),
    ]);
    expect((await migrate("mysql://x")).stderr).toContain("--to must be a directory, or a PostgreSQL");
    await tollgate.stop();

    const used = await freshPostgres();
    const other = new SQL(used.url, { max: 1 });
    await other.unsafe("CREATE TABLE somebody_elses (id INTEGER)");
    await other.close();
    const refused = await migrate(used.url.replace("tollgate@", "tollgate:hidden@"));
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("is not empty")]);
    expect(refused.stderr).not.toContain("hidden");
    await used.drop();
    const away = await migrate(database.url.replace(/:\d+\//, ":9/"));
    expect([away.exitCode, away.stderr]).toEqual([2, expect.stringContaining("cannot be reached")]);
    expect(existsSync(join(dataDir, "control-in-postgres"))).toBe(false);
  });

  it("continues after kill -9, and only with the same source; nothing starts on half of it", async () => {
    // The migration has to wait for the test before it writes to a table that is written late.
    await postgres.unsafe(holdShipping);
    await postgres.unsafe("SELECT pg_advisory_lock(1)");
    const killed = Bun.spawn([builtProgram(), "migrate", "--to", database.url], {
      env: plainEnvironment({ SVC_DATA_DIR: dataDir }),
      stdout: "ignore",
      stderr: "ignore",
    });
    await eventually("the migration waits", async () => {
      const [row] = await postgres.unsafe("SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted");
      return Number(row.waiting) > 0;
    });
    killed.kill("SIGKILL");
    await killed.exited;
    await postgres.unsafe("SELECT pg_advisory_unlock(1)");
    await postgres.unsafe("DROP EVENT TRIGGER hold_shipping; DROP TRIGGER hold_shipping ON shared_events");
    expect(await postgres.unsafe("SELECT id FROM organizations")).toHaveLength(1);

    const started = await svc(folder("another"), ["org", "list"], { SVC_DATABASE_URL: database.url });
    expect([started.exitCode, started.stderr]).toEqual([2, expect.stringContaining("was not finished")]);
    expect(
      (await svc(folder("another one"), ["org", "create", "--name", "x", "--tier", "pro"])).exitCode,
    ).toBe(0);
    expect((await svc(folder("another one"), ["ledger", "create"])).exitCode).toBe(0);
    const other = await svc(folder("another one"), ["migrate", "--to", database.url]);
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining("of another installation")]);

    const done = await migrate(database.url);
    expect(done.stderr).toContain("continuing the migration");
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining("5 events")]);
    // All five calls were test calls.
    expect(done.stdout).toMatch(
      /, \$0\.00 \(0 microcents\) live, \$0\.\d+ \([1-9]\d* microcents\) test, verified$/m,
    );
    expect(done.stdout).toContain("set SVC_DATABASE_URL");
    expect(existsSync(join(dataDir, "control.db.before-migration"))).toBe(true);
    // As if it had been killed just before its last statement.
    await postgres.unsafe("CREATE TABLE unfinished_migration (name TEXT PRIMARY KEY, value TEXT NOT NULL)");
    await postgres.unsafe("INSERT INTO unfinished_migration VALUES ('verified', 'yes')");
    expect((await migrate(database.url)).stdout).toContain("set SVC_DATABASE_URL");
    const again = await migrate(database.url);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining("is in PostgreSQL already")]);
  }, 600_000);

  it("the same keys, totals and sign-in work afterwards, and the ledger verifies", async () => {
    const settings = { SVC_DATABASE_URL: database.url };
    tollgate = startTollgate(dataDir, settings);
    await tollgate.ready();
    expect(tollgate.stdout).not.toContain("sk_");
    await eventually("the key is known", async () => (await call()) === 200);
    await eventually("the call is counted", async () => (await account()).total_calls === 6);
    const link = /http:\S*magic-link\S*/.exec(
      (await svc(dataDir, ["user", "link", "admin@localhost.localdomain"], settings)).stdout,
    );
    expect((await fetch(link?.[0] ?? "", { redirect: "manual" })).headers.has("set-cookie")).toBe(true);
    await tollgate.stop();
    const verified = await svc(dataDir, ["ledger", "verify"], settings);
    expect([verified.exitCode, verified.stdout]).toEqual([0, expect.stringContaining("5 events compared")]);
  }, 600_000);

  it("moves back into an empty directory, continuing after kill -9", async () => {
    const settings = { SVC_DATABASE_URL: database.url };
    const back = folder("back");
    const occupied = await migrate(folder("another one"), settings);
    expect([occupied.exitCode, occupied.stderr]).toEqual([2, expect.stringContaining("is not empty")]);
    await postgres.unsafe("BEGIN; LOCK TABLE webhooks IN ACCESS EXCLUSIVE MODE");
    const killed = Bun.spawn([builtProgram(), "migrate", "--to", back], {
      env: plainEnvironment({ SVC_DATA_DIR: dataDir, ...settings }),
      stdout: "ignore",
      stderr: "ignore",
    });
    await eventually("the migration waits", async () => {
      const [row] = await postgres.unsafe("SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted");
      return Number(row.waiting) > 0;
    });
    killed.kill("SIGKILL");
    await killed.exited;
    await postgres.unsafe("ROLLBACK");
    const started = startTollgate(back);
    expect(await started.ended()).not.toBe(0);
    expect(started.stderr).toContain("was not finished");

    const done = await migrate(back, settings);
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining("6 events")]);
    expect(done.stdout).toContain(`SVC_DATA_DIR=${back}`);
    const verified = await svc(back, ["ledger", "verify"]);
    expect([verified.exitCode, verified.stdout]).toEqual([0, expect.stringContaining("ok: 6 events")]);
    tollgate = startTollgate(back);
    await tollgate.ready();
    expect(await call()).toBe(200);
    await eventually("the call is counted", async () => (await account()).total_calls === 7);
    await tollgate.stop();
  }, 600_000);

  it("as a gateway of several, the machine ships only what is new, and a control plane derives nothing again", async () => {
    const shared = { SVC_DATABASE_URL: database.url, SVC_SECRET: "a secret that is long enough" };
    const control = startTollgate(folder("control"), { ...shared, SVC_ROLE: "control" });
    try {
      tollgate = startTollgate(dataDir, { ...shared, SVC_ROLE: "gateway" });
      await eventually("the key is known", async () => (await call()) === 200);
      const shipped = () => postgres.unsafe("SELECT position, node_seq FROM shared_events ORDER BY position");
      await eventually("everything is shipped", async () => (await shipped()).length === 7);
      const rows = [...(await shipped())].map(({ position, node_seq }) => [
        Number(position),
        Number(node_seq),
      ]);
      expect(rows).toEqual(rows.map((_, index) => [index + 1, index + 1]));
      await eventually("the control plane is ready", () => existsSync(control.addresses));
      await eventually("its totals have all of it", async () => {
        const [row] = await postgres.unsafe("SELECT count(*) AS facts FROM facts");
        return Number(row.facts) === 7;
      });
      expect(await postgres.unsafe("SELECT id FROM rebuilds")).toHaveLength(0);
    } finally {
      await control.stop();
      await tollgate.stop();
    }
    const verified = await svc(folder("control"), ["ledger", "verify"], { ...shared, SVC_ROLE: "control" });
    expect([verified.exitCode, verified.stdout]).toEqual([0, expect.stringContaining("7 events compared")]);

    const alone = folder("alone");
    // As if it had just reported, however long the last commands took.
    await postgres.unsafe(`UPDATE nodes SET last_seen_at = ${Date.now() + HOUR_MS}`);
    const asControl = { ...shared, SVC_ROLE: "control" };
    const running = await svc(folder("control"), ["migrate", "--to", alone], asControl);
    expect([running.exitCode, running.stderr]).toEqual([
      2,
      expect.stringContaining("is running: stop it first"),
    ]);
    await postgres.unsafe("UPDATE nodes SET last_seen_at = 0");
    const done = await svc(folder("control"), ["migrate", "--to", alone], asControl);
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining("7 events")]);
    expect((await svc(alone, ["ledger", "verify"])).stdout).toStartWith("ok: 7 events");
  }, 600_000);
});
