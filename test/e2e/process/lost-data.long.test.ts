import { Database } from "bun:sqlite";
import { afterEach, describe, expect, it } from "bun:test";
import { copyFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/processes/tollgate-process.ts";
import { freshPostgres } from "../../support/servers/postgres.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const running: RunningTollgate[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(tollgate => tollgate.stop()));
});

function start(dataDir: string, settings: Record<string, string> = {}): RunningTollgate {
  const tollgate = startTollgate(dataDir, settings);
  running.push(tollgate);
  return tollgate;
}

async function call(tollgate: RunningTollgate, key: string, agent: string, times = 1): Promise<void> {
  for (let made = 0; made < times; made++) {
    const answer = await fetch(`${tollgate.addressOf("gateway")}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "x-provider-key": "any", "x-agent-id": agent },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  }
}

async function listed(tollgate: RunningTollgate, key: string, agent: string): Promise<number> {
  const answer = await fetch(`${tollgate.addressOf("web")}/api/events?agent_key=${agent}&limit=100`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await answer.json()) as { events: unknown[] }).events.length;
}

/** Answers three calls, then stops; returns its test key. */
async function populated(dataDir: string, settings: Record<string, string> = {}): Promise<string> {
  const tollgate = start(dataDir, settings);
  await tollgate.ready();
  const [key = ""] = printedKeys(tollgate.stdout).test;
  const models = `${tollgate.addressOf("gateway")}/v1/models`;
  const headers = { authorization: `Bearer ${key}` };
  await eventually("the gateway knows the key", async () => (await fetch(models, { headers })).ok);
  await call(tollgate, key, "one", 3);
  await eventually("the calls are seen", async () => (await listed(tollgate, key, "one")) === 3);
  await tollgate.stop();
  return key;
}

function remove(dataDir: string, name: string): void {
  for (const file of readdirSync(dataDir)) if (file.startsWith(name)) rmSync(join(dataDir, file));
}

function backUp(file: string, copy: string): void {
  const database = new Database(file, { readonly: true });
  database.query("VACUUM INTO ?").run(copy);
  database.close();
}

async function tablesIn(url: string): Promise<number> {
  const client = new SQL(url);
  const [row] = await client`
    SELECT count(*)::int AS tables FROM information_schema.tables WHERE table_schema = current_schema()`;
  await client.close();
  return row.tables;
}

describe("half an installation", () => {
  it("without control.db is not a first run: the start is refused until an organization is created manually", async () => {
    const dataDir = folder("without-control");
    await populated(dataDir);
    remove(dataDir, "control.db");
    const refused = start(dataDir);
    expect(await refused.ended()).toBe(2);
    expect(refused.stderr).toContain("this is not a first run");
    expect(refused.stderr).toContain("Restore a backup of control.db");
    expect(refused.stdout).toBe("");
    // A read-only command does not create an empty one, which would look like a complete installation.
    for (const command of [
      ["org", "list"],
      ["ledger", "verify"],
      ["key", "list", "--org", "o"],
    ]) {
      const { exitCode, stderr } = await svc(dataDir, command);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("this is not a first run")]);
    }
    expect(existsSync(join(dataDir, "control.db"))).toBe(false);
    const made = await svc(dataDir, ["org", "create", "--name", "anew", "--tier", "pro", "--json"]);
    const { test_key } = made.json() as { test_key: string };
    const tollgate = start(dataDir);
    await tollgate.ready();
    expect(printedKeys(tollgate.stdout).live).toEqual([]);
    await call(tollgate, test_key, "two", 2);
    await eventually("its calls are seen", async () => (await listed(tollgate, test_key, "two")) === 2);
    expect(await listed(tollgate, test_key, "one")).toBe(0);
    expect(tollgate.stderr).not.toContain("error");
    expect((await svc(dataDir, ["ledger", "verify"])).exitCode).toBe(0);
  });

  it("with an empty PostgreSQL is not a first run either", async () => {
    const [first, second] = [await freshPostgres(), await freshPostgres()];
    try {
      const dataDir = folder("without-database");
      await populated(dataDir, { SVC_DATABASE_URL: first.url });
      const refused = start(dataDir, { SVC_DATABASE_URL: second.url });
      expect(await refused.ended()).toBe(2);
      expect(refused.stderr).toContain("the database is empty");
      expect(await tablesIn(second.url)).toBe(0);
    } finally {
      await Promise.all(running.splice(0).map(tollgate => tollgate.stop()));
      await first.drop();
      await second.drop();
    }
  });

  it("without control.db is refused with an empty PostgreSQL, and can still be restored and migrated to it", async () => {
    const database = await freshPostgres();
    try {
      const dataDir = folder("restored-after-refusal");
      await populated(dataDir);
      backUp(join(dataDir, "control.db"), folder("before-refusal.db"));
      remove(dataDir, "control.db");
      const refused = start(dataDir, { SVC_DATABASE_URL: database.url });
      expect([await refused.ended(), refused.stderr]).toEqual([
        2,
        expect.stringContaining("the database is empty"),
      ]);
      copyFileSync(folder("before-refusal.db"), join(dataDir, "control.db"));
      expect((await svc(dataDir, ["org", "list"])).exitCode).toBe(0);
      const moved = await svc(dataDir, ["migrate", "--to", database.url]);
      expect([moved.exitCode, moved.stdout]).toEqual([0, expect.stringContaining("verified")]);
    } finally {
      await database.drop();
    }
  });

  it("without ledger.db is refused, until an empty ledger is created manually", async () => {
    const dataDir = folder("without-ledger");
    const key = await populated(dataDir);
    remove(dataDir, "ledger.db");
    const refused = start(dataDir);
    expect(await refused.ended()).toBe(2);
    expect(refused.stderr).toContain("the ledger was lost");
    expect(existsSync(join(dataDir, "ledger.db"))).toBe(false);
    expect((await svc(dataDir, ["ledger", "create"])).exitCode).toBe(0);
    expect((await svc(dataDir, ["ledger", "create"])).exitCode).toBe(2);
    const tollgate = start(dataDir);
    await tollgate.ready();
    await call(tollgate, key, "one", 2);
    await eventually("only the new calls are seen", async () => (await listed(tollgate, key, "one")) === 2);
    await eventually("it is reported", () => tollgate.stderr.includes("rebuilding derived data"));
    expect((await svc(dataDir, ["ledger", "verify"])).exitCode).toBe(0);
  });
});

describe("a file that is removed while Tollgate runs", () => {
  it("is written back at shutdown: no command creates another one before that", async () => {
    const dataDir = folder("removed");
    const key = await populated(dataDir);
    const tollgate = start(dataDir);
    await tollgate.ready();
    for (const [name, commands] of [
      [
        "control.db",
        [
          ["org", "list"],
          ["ledger", "verify"],
          ["org", "create", "--name", "a", "--tier", "pro"],
        ],
      ],
      [
        "ledger.db",
        [
          ["ledger", "create"],
          ["ledger", "tail"],
        ],
      ],
    ] as const) {
      rmSync(join(dataDir, name));
      for (const command of commands) {
        const { exitCode, stderr } = await svc(dataDir, [...command]);
        expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${name} is missing`)]);
      }
      expect(existsSync(join(dataDir, name))).toBe(false);
    }
    await tollgate.stop();
    const again = start(dataDir);
    await again.ready();
    expect(await listed(again, key, "one")).toBe(3);
    expect((await svc(dataDir, ["ledger", "verify"])).exitCode).toBe(0);
  });
});

describe("a control plane that is restarted while control.db is missing", () => {
  it("does not create an empty one: calls go on, and a restored file is used", async () => {
    const dataDir = folder("restarted");
    const key = await populated(dataDir);
    const path = join(dataDir, "control.db");
    copyFileSync(path, folder("kept.db"));
    const tollgate = start(dataDir);
    await tollgate.ready();
    remove(dataDir, "control.db");
    process.kill(tollgate.controlPid() ?? 0, "SIGKILL");
    await eventually("it is refused", () => tollgate.stderr.includes("this is not a first run"));
    expect(existsSync(path)).toBe(false);
    // Its death is a line of the JSON log, like everything that an operator has to know.
    const [ended = "{}"] = tollgate.stderr.split("\n").filter(line => line.includes("restarting it"));
    expect(JSON.parse(ended)).toMatchObject({ level: "error", plane: "control", exit_code: 137 });
    await call(tollgate, key, "one");
    copyFileSync(folder("kept.db"), path);
    await eventually(
      "all calls are seen",
      async () => (await listed(tollgate, key, "one").catch(() => null)) === 4,
    );
  });
});

describe("a gateway that is restarted while ledger.db is missing", () => {
  it("does not create an empty one, which would reset every budget: a restored file is used", async () => {
    const dataDir = folder("gateway-restarted");
    const key = await populated(dataDir);
    const path = join(dataDir, "ledger.db");
    backUp(path, folder("kept-ledger.db"));
    const tollgate = start(dataDir);
    await tollgate.ready();
    remove(dataDir, "ledger.db");
    process.kill(tollgate.gatewayPid() ?? 0, "SIGKILL");
    await eventually("it is refused", () => tollgate.stderr.includes("the ledger was lost"));
    expect(existsSync(path)).toBe(false);
    copyFileSync(folder("kept-ledger.db"), path);
    await eventually("it is back", () => existsSync(tollgate.addresses));
    await call(tollgate, key, "one");
    await eventually("all calls are seen", async () => (await listed(tollgate, key, "one")) === 4);
  });
});

describe("a restore of two backups from different times", () => {
  it("REL-014 shows every later call, and verify finds nothing", async () => {
    const dataDir = folder("restored");
    const first = start(dataDir);
    await first.ready();
    const [key = ""] = printedKeys(first.stdout).test;
    await call(first, key, "one", 20);
    backUp(join(dataDir, "ledger.db"), folder("ledger-backup.db"));
    await call(first, key, "two", 10);
    await eventually("the calls are seen", async () => (await listed(first, key, "two")) === 10);
    backUp(join(dataDir, "control.db"), folder("control-backup.db"));
    await first.stop();
    for (const name of ["ledger", "control"]) {
      remove(dataDir, `${name}.db`);
      copyFileSync(folder(`${name}-backup.db`), join(dataDir, `${name}.db`));
    }
    const second = start(dataDir);
    await second.ready();
    await call(second, key, "three", 15);
    await eventually("all of them are seen", async () => (await listed(second, key, "three")) === 15);
    expect([await listed(second, key, "one"), await listed(second, key, "two")]).toEqual([20, 0]);
    const analytics = await fetch(`${second.addressOf("web")}/api/analytics`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await analytics.json()).toMatchObject({ summary: { total_calls: 35 } });
    const verified = await svc(dataDir, ["ledger", "verify"]);
    expect([verified.exitCode, verified.stderr]).toEqual([0, ""]);
    await eventually("it is reported", () => second.stderr.includes("rebuilding derived data"));
    expect(second.stderr.match(/rebuilding derived data/g)).toHaveLength(1);
  });
});
