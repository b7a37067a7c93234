import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { everyNth } from "../../../../test/support/full-size.ts";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import { LAST_OLDER_VERSION, makeOlder } from "../../../../test/support/older-control/make-older.ts";
import { describeSchema } from "../../../../test/support/rows/describe-schema.ts";
import { tablesOf } from "../../../../test/support/rows/tables-of.ts";
import { Directory } from "../config/directory.ts";
import type { Engine } from "../engine/engine.ts";
import { CONTROL_VERSION } from "./migrate-control.ts";
import { controlMigrations } from "./migrations.ts";
import { type ControlDatabaseOptions, openControlDatabase } from "./open-control-database.ts";
import type { ControlDb } from "./schema.ts";
import { readVersion } from "./schema-version.ts";

const databases = controlDatabases();

/** Values that pass the tables' check constraints; every other text column is filled with its own name. */
const accepted: Readonly<Record<string, string>> = {
  "organizations.id": "org",
  "organizations.tier": "pro",
  "api_keys.scope": "write",
  "members.role": "owner",
  "members.status": "invited",
  "deliveries.status": "pending",
  "deliveries.channel": "slack",
  "experiments.status": "running",
  "budgets.period": "daily",
  "budgets.enforcement_mode": "soft_block",
  "alert_thresholds.metric": "error_rate",
  "alert_thresholds.action": "email",
  "optimizations.optimization_type": "model_switch",
  "experiment_calls.arm": "treatment",
  org_id: "org",
  mode: "test",
  status: "active",
};

type Rows = Record<string, Record<string, unknown>[]>;

/** One row in every table, with a value in every column. */
async function fill(db: ControlDb, engine: Engine): Promise<void> {
  const tables = (await tablesWithRows(db, engine)).filter(({ name }) => !name.endsWith("_revision"));
  tables.sort((one, other) => Number(other.name === "organizations") - Number(one.name === "organizations"));
  for (const [position, { name, columns }] of tables.entries()) {
    const values = columns.map(column =>
      column.dataType.toLowerCase() === "text"
        ? (accepted[`${name}.${column.name}`] ?? accepted[column.name] ?? `a ${column.name}`)
        : position * 100 + 7,
    );
    const into = sql.join(columns.map(column => sql.ref(column.name)));
    await sql`INSERT INTO ${sql.table(name)} (${into}) VALUES (${sql.join(values)})`.execute(db);
  }
}

async function tablesWithRows(db: ControlDb, engine: Engine) {
  const tables = await tablesOf(db, engine);
  return tables.filter(({ name }) => name !== "schema_version");
}

async function readAll(db: ControlDb, engine: Engine): Promise<Rows> {
  const rows: Rows = {};
  for (const { name } of await tablesWithRows(db, engine)) {
    rows[name] = (await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(name)}`.execute(db)).rows;
  }
  return rows;
}

async function makeFilled(engine: Engine, version: number) {
  const place = await databases.placeUnmigrated(engine);
  const older = await makeOlder(place, version);
  await older.transaction().execute(transaction => fill(transaction, engine));
  const rows = await readAll(older, engine);
  await older.destroy();
  return { place, rows };
}

/** How the migrations after `version` change existing rows. */
function expected(rows: Rows, version: number): Rows {
  // Effects are counted anew from the ledger.
  const { experiment_calls: _dropped, optimization_effects: _recounted, ...kept } = rows;
  const [alert] = kept.alerts ?? [];
  if (alert && version < 4) alert.live_seq = 0;
  const place = alert?.live_seq;
  if (alert && version < 10 && typeof place === "number")
    alert.live_seq = Math.floor(place / 1000) * 1_000_000 + (place % 1000);
  const cursors = kept.cursors?.map(({ name, ...cursor }) => ({ ...cursor, reader: name, node: "local" }));
  return cursors === undefined ? kept : { ...kept, cursors };
}

async function executed(db: ControlDb): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Opens the database in another process, after running `before` there. */
function openElsewhere(place: ControlDatabaseOptions, before = "") {
  const script = `
    import { controlMigrations } from ${JSON.stringify(join(import.meta.dir, "migrations.ts"))};
    import { openControlDatabase } from ${JSON.stringify(join(import.meta.dir, "open-control-database.ts"))};
    ${before}
    await (await openControlDatabase(${JSON.stringify(place)})).close();`;
  return Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "pipe" });
}

describe("the list of migrations", () => {
  it("lists every file of the folder under its own name, numbered without gaps", () => {
    const files = readdirSync(join(import.meta.dir, "migrations")).sort();
    expect(Object.keys(controlMigrations).map(name => `${name}.ts`)).toEqual(files);
    expect(files.map(file => Number(file.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
  });
});

describe.each(engines)("a control database on %s from before the migrator", engine => {
  it.each(everyNth(3, [1, 2, 3, 6, 9, 12, LAST_OLDER_VERSION], engine === "sqlite" ? 0 : 2))(
    "keeps every row of version %p, and ends up with the schema of a new database",
    async version => {
      const { place, rows } = await makeFilled(engine, version);
      const upgraded = await openControlDatabase(place);
      const fresh = await databases.open(engine);
      const after = await readAll(upgraded.db, engine);
      expect(after).toMatchObject(expected(rows, version));
      expect(await describeSchema(upgraded.db, engine)).toEqual(await describeSchema(fresh.db, engine));
      expect(await executed(upgraded.db)).toEqual(Object.keys(controlMigrations));
      expect(await readVersion(upgraded.db, engine)).toBe(CONTROL_VERSION);
      await upgraded.close();
      const again = await openControlDatabase(place);
      expect(await readAll(again.db, engine)).toEqual(after);
      await again.close();
    },
  );

  it("is migrated once when several processes start concurrently", async () => {
    const { place, rows } = await makeFilled(engine, 9);
    const started = Array.from({ length: 4 }, () => openElsewhere(place));
    for (const one of started)
      expect({ code: await one.exited, text: await one.stderr.text() }).toEqual({ code: 0, text: "" });
    const database = await openControlDatabase(place);
    // Running the migration twice would change the alert's live_seq twice.
    expect(await readAll(database.db, engine)).toMatchObject(expected(rows, 9));
    await database.close();
  });

  it("is unchanged when a migration fails, and the error says why", async () => {
    const place = await databases.placeUnmigrated(engine);
    const older = await makeOlder(place, 9);
    // Conflicts with a later migration, after others have run.
    await sql`CREATE TABLE rebuilds (id INTEGER)`.execute(older);
    await older.transaction().execute(transaction => fill(transaction, engine));
    const before = { schema: await describeSchema(older, engine), rows: await readAll(older, engine) };
    const message = await openControlDatabase(place).then(
      () => "opened",
      (fault: Error) => fault.message,
    );
    expect(message).toContain("rebuilds");
    expect({ schema: await describeSchema(older, engine), rows: await readAll(older, engine) }).toEqual(
      before,
    );
    expect(await readVersion(older, engine)).toBe(9);
    await sql`DROP TABLE rebuilds`.execute(older);
    await older.destroy();
    const database = await openControlDatabase(place);
    expect(await executed(database.db)).toEqual(Object.keys(controlMigrations));
    await database.close();
  });

  it("is upgraded at the next start after a kill in the middle of a migration", async () => {
    const { place, rows } = await makeFilled(engine, 9);
    const killed = openElsewhere(
      place,
      `controlMigrations["0013-unpriced-calls"] = async ({ schema }) => {
        await schema.dropTable("cursors").execute();
        process.stdout.write("half-way");
        await new Promise(() => setInterval(() => {}, 1000));
      };`,
    );
    try {
      const { value } = await killed.stdout.getReader().read();
      expect(new TextDecoder().decode(value)).toBe("half-way");
    } finally {
      killed.kill("SIGKILL");
    }
    await killed.exited;
    const database = await openControlDatabase(place);
    expect(await readAll(database.db, engine)).toMatchObject(expected(rows, 9));
    expect(await executed(database.db)).toEqual(Object.keys(controlMigrations));
    await database.close();
  });
});

describe("the gateway", () => {
  it("reads a file that was upgraded from version 1", async () => {
    const place = await databases.placeUnmigrated("sqlite");
    if (place.kind !== "sqlite") throw new Error("not a file");
    await (await makeOlder(place, 1)).destroy();
    const old = new Database(place.path);
    old.run("INSERT INTO organizations VALUES ('org', 'First', 'pro', 'active', NULL, 5, 'salt', 1)");
    old.run("INSERT INTO api_keys VALUES ('key', 'org', 'digest', 'abcd', 'live', 'write', 1, NULL)");
    old.close();
    await (await openControlDatabase(place)).close();
    const directory = new Directory(place.path);
    expect(directory.findByDigest("digest", 1)).toMatchObject({ orgId: "org", keyId: "key" });
    directory.close();
  });
});
