import { describe, expect, it } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { Kysely, sql } from "kysely";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { BunPostgresDialect } from "../engine/bun-postgres-dialect.ts";
import { beginPosition, readPosition } from "../following/stored-position.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { EVENTS_CURSOR } from "../read-model/deriving/read-model-repair.ts";
import { isRefillDue } from "../read-model/deriving/refill-sums.ts";
import { migrationTools } from "./control-migration.ts";
import { CONTROL_VERSION, OLDEST_GATEWAY_VERSION } from "./migrate-control.ts";
import { controlMigrations } from "./migrations.ts";
import { openControlDatabase } from "./open-control-database.ts";
import type { ControlDb, ControlSchema } from "./schema.ts";

const databases = controlDatabases();

async function placeUnmigrated(): Promise<string> {
  const place = await databases.placeUnmigrated("postgres");
  if (place.kind !== "postgres") throw new Error("not PostgreSQL");
  return place.url;
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
}

async function columnsOf(db: ControlDb): Promise<Column[]> {
  const { rows } = await sql<Column>`
    SELECT table_name AS table, column_name AS column, data_type AS type, is_nullable = 'YES' AS "isNullable",
      column_default IS NOT NULL OR is_identity = 'YES' AS "hasDefault"
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`.execute(db);
  return rows;
}

/** What rows have to comply with. */
async function rulesOf(db: ControlDb): Promise<{ table: string; rule: string }[]> {
  const { rows } = await sql<{ table: string; rule: string }>`
    SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS rule
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT tablename, replace(indexdef, ' ON ONLY ', ' ON ') FROM pg_indexes WHERE schemaname = 'public' AND indexdef LIKE '%UNIQUE%'
    ORDER BY 1, 2`.execute(db);
  return rows;
}

/**
 * Keys that now hold only within each partition. Gateways look for what they would repeat before they insert, and only the control
 * plane that leads writes facts: an older one that leads waits with reratings until a newer one takes over.
 */
const ofPartitions = [
  "facts PRIMARY KEY (seq)",
  "facts CREATE UNIQUE INDEX facts_pkey ",
  "shared_events PRIMARY KEY (org_id, id)",
  "shared_events CREATE UNIQUE INDEX shared_events_pkey ",
];

describe("a rolling upgrade", () => {
  it("crosses only migrations that add: what older gateways and control planes read and write is still there", async () => {
    const client = new SQL(await placeUnmigrated(), { bigint: true, max: 1 });
    const db = new Kysely<ControlSchema>({ dialect: new BunPostgresDialect(client) });
    const tools = migrationTools(db, "postgres");
    const steps = Object.values(controlMigrations);
    for (const up of steps.slice(0, OLDEST_GATEWAY_VERSION)) await up(tools);
    const [columns, rules] = [await columnsOf(db), await rulesOf(db)];
    for (const up of steps.slice(OLDEST_GATEWAY_VERSION)) await up(tools);
    const older = new Set(columns.map(({ table }) => table));
    const ofOlder = ({ table }: { readonly table: string }) => older.has(table);
    const isKnown = ({ table, column }: Column) =>
      columns.some(one => one.table === table && one.column === column);
    const after = (await columnsOf(db)).filter(ofOlder);
    expect(after.filter(isKnown)).toEqual(columns);
    // Older programs insert rows without it.
    expect(after.filter(one => !isKnown(one) && !one.isNullable && !one.hasDefault)).toEqual([]);
    const kept = rules.filter(
      ({ table, rule }) => !ofPartitions.some(one => `${table} ${rule}`.startsWith(one)),
    );
    expect((await rulesOf(db)).filter(ofOlder)).toEqual(kept);
    expect(columns.length).toBeGreaterThan(500);
    await db.destroy();
  });

  it("refills the calls in sessions if an older control plane goes on deriving, also if the first events come only then", async () => {
    const client = new SQL(await placeUnmigrated(), { bigint: true, max: 1 });
    const db = new Kysely<ControlSchema>({ dialect: new BunPostgresDialect(client) });
    const tools = migrationTools(db, "postgres");
    for (const [name, up] of Object.entries(controlMigrations)) {
      if (name === "0048-calls-in-sessions") await beginPosition(db, EVENTS_CURSOR, LEDGER_START);
      await up(tools);
    }
    expect(await isRefillDue(db)).toBe(true);
    await db.destroy();
  });

  it("refills the calls in sessions even if an older control plane, which does not know them, ends a refill of its own", async () => {
    const client = new SQL(await placeUnmigrated(), { bigint: true, max: 1 });
    const db = new Kysely<ControlSchema>({ dialect: new BunPostgresDialect(client) });
    const tools = migrationTools(db, "postgres");
    for (const [name, up] of Object.entries(controlMigrations)) {
      if (name === "0048-calls-in-sessions") {
        await beginPosition(db, EVENTS_CURSOR, { seq: 1, eventId: "event" });
        await beginPosition(db, "read-model:refill", { seq: 5, eventId: null });
      }
      await up(tools);
    }
    expect((await readPosition(db, "read-model:refill"))?.seq).toBe(5);
    await db.deleteFrom("cursors").where("reader", "=", "read-model:refill").execute();
    expect(await isRefillDue(db)).toBe(true);
    await db.destroy();
  });

  it("lets only the sidecars of older gateways open the database, as far back as the newer version allows", async () => {
    const url = await placeUnmigrated();
    const database = await openControlDatabase({ kind: "postgres", url });
    const opening = (purpose: "use" | "gateway") =>
      openControlDatabase({ kind: "postgres", url }, purpose).then(
        async opened => {
          await opened.close();
          return "opened";
        },
        (fault: Error) => fault.message.replace(/^.*: (it was written)/, "$1"),
      );
    const refused = "it was written by a newer Tollgate";
    const set = async (version: number, oldest: number | null) =>
      await sql`UPDATE schema_version SET version = ${version}, oldest_gateway = ${oldest}`.execute(
        database.db,
      );
    await set(CONTROL_VERSION + 1, CONTROL_VERSION);
    expect([await opening("use"), await opening("gateway")]).toEqual([refused, "opened"]);
    await set(CONTROL_VERSION + 1, CONTROL_VERSION + 1);
    expect([await opening("use"), await opening("gateway")]).toEqual([refused, refused]);
    await set(CONTROL_VERSION + 1, null);
    expect([await opening("use"), await opening("gateway")]).toEqual([refused, refused]);
    await database.close();
  });

  it("waits for transactions of others without deadlocking with them, and migrates when they have ended", async () => {
    const url = await placeUnmigrated();
    const database = await openControlDatabase({ kind: "postgres", url });
    const script = `
      import ${JSON.stringify(join(import.meta.dir, "../../../../test/support/programs/next-version.ts"))};
      const { openControlDatabase } = await import(${JSON.stringify(join(import.meta.dir, "open-control-database.ts"))});
      await (await openControlDatabase({ kind: "postgres", url: ${JSON.stringify(url)} })).close();`;
    const waits = async () => {
      const { rows } = await sql<{ count: number }>`
        SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(
        database.db,
      );
      return Number(rows[0]?.count);
    };
    let migrating: Bun.Subprocess<"ignore", "pipe", "pipe"> | undefined;
    await database.db.transaction().execute(async transaction => {
      // On a busy machine the migration may already be in a later, more patient attempt: it has to be the one that gives up.
      await sql`SET LOCAL deadlock_timeout = '1h'`.execute(transaction);
      // The migration has locked tables that come before this one, and this transaction needs one of them afterwards.
      await transaction.updateTable("shared_ledger_end").set({ position: 0 }).execute();
      migrating = Bun.spawn([process.execPath, "-e", script], {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      await eventually("the migration waits", async () => (await waits()) > 0);
      await transaction.updateTable("budgets").set({ updated_at: 1 }).execute();
    });
    expect([await migrating?.exited, await migrating?.stderr.text()]).toEqual([0, ""]);
    const { rows } = await sql<{
      version: number;
    }>`SELECT version FROM schema_version`.execute(database.db);
    expect(rows).toEqual([{ version: CONTROL_VERSION + 1 }]);
    expect(
      await database.db.selectFrom("shared_ledger_end").select("position").executeTakeFirst(),
    ).toMatchObject({ position: 0 });
    await database.close();
  });
});
