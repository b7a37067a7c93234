import type { Database } from "bun:sqlite";
import { Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { advisoryLocks } from "../engine/advisory-locks.ts";
import { BunSqliteDialect } from "../engine/bun-sqlite-dialect.ts";
import type { Engine } from "../engine/engine.ts";
import { isLockFault } from "../engine/lock-fault.ts";
import { BUSY_TIMEOUT_MS, checkedVersion } from "../engine/sqlite.ts";
import { migrationTools } from "./control-migration.ts";
import { controlMigrations } from "./migrations.ts";
import type { ControlDb } from "./schema.ts";
import { hasTable, readOldestGateway, readVersion, writeVersion } from "./schema-version.ts";

/** The schema version that this program knows. */
export const CONTROL_VERSION = Object.keys(controlMigrations).length;

/**
 * Gateways of this schema version or a newer one can use the database after this program has migrated it, while machines are
 * upgraded one after the other. A migration that does more than add (rolling-upgrade.test.ts notices) raises it to its own
 * number: gateways from before then ship nothing until they are upgraded.
 */
export const OLDEST_GATEWAY_VERSION = 39;

const MIGRATION_PATIENCE_MS = 120_000;
/**
 * A statement that waits for a table's lock makes everybody else wait behind it. So a migration gives up before PostgreSQL
 * looks for deadlocks (after a second), of which a gateway's transaction might be the victim, and tries again more patiently.
 */
const FIRST_LOCK_WAIT_MS = 500;

/** Kysely's table of applied migrations. */
const MIGRATION_TABLE = "kysely_migration";

/**
 * Serializes this process's migrations: SQLite waits for a lock without returning to the event loop, and the lock's
 * holder may need that loop.
 */
let underWay: Promise<unknown> = Promise.resolve();

/**
 * Migrates the schema in one transaction under a lock: of two processes starting concurrently, the second finds nothing
 * to do, and a crash leaves the database unchanged. Throws if a newer Tollgate has written to it.
 */
export function migrateControl(db: ControlDb, engine: Engine): Promise<void> {
  const migration = underWay.then(async () => {
    // Checked without the lock, so that opening an up-to-date database never waits for a writer.
    if (await isUpToDate(db, engine)) return;
    if (engine === "postgres") return await migrateBesideOthers(db);
    // Another process may be migrating, which takes a while on a busy machine.
    await sql.raw(`PRAGMA busy_timeout = ${MIGRATION_PATIENCE_MS}`).execute(db);
    await db.transaction().execute(async transaction => {
      if (!(await isUpToDate(transaction, engine))) await runMigrations(transaction, engine);
    });
    await sql.raw(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`).execute(db);
  });
  underWay = migration.catch(() => {});
  return migration;
}

/** Gateways and control planes of the previous version may be using the database. */
async function migrateBesideOthers(db: ControlDb): Promise<void> {
  for (let lockWaitMs = FIRST_LOCK_WAIT_MS; ; lockWaitMs *= 2) {
    try {
      return await db.transaction().execute(async transaction => {
        await lockMigrations(transaction);
        if (await isUpToDate(transaction, "postgres")) return;
        await sql`SELECT set_config('lock_timeout', ${String(lockWaitMs)}, true)`.execute(transaction);
        await runMigrations(transaction, "postgres");
      });
    } catch (fault) {
      if (!isLockFault(fault)) throw fault;
    }
  }
}

/** The same for a file that is used without Kysely. */
export function migrateControlFile(database: Database): Promise<void> {
  return migrateControl(new Kysely({ dialect: new BunSqliteDialect(database) }), "sqlite");
}

/** A newer version has migrated the database, and says that gateways of this version can go on using it. */
export async function isNewerForGateways(db: ControlDb): Promise<boolean> {
  if (!(await isNewer(db))) return false;
  const oldest = await readOldestGateway(db);
  return oldest !== null && oldest <= CONTROL_VERSION;
}

/** A newer version has migrated this PostgreSQL. */
export async function isNewer(db: ControlDb): Promise<boolean> {
  return (await readVersion(db, "postgres")) > CONTROL_VERSION;
}

async function isUpToDate(db: ControlDb, engine: Engine): Promise<boolean> {
  const version = checkedVersion(await readVersion(db, engine), CONTROL_VERSION);
  return version === CONTROL_VERSION && (await hasTable(db, engine, MIGRATION_TABLE));
}

async function lockMigrations(transaction: ControlDb): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${sql.lit(advisoryLocks.migrations)})`.execute(transaction);
}

async function runMigrations(db: ControlDb, engine: Engine): Promise<void> {
  const before = (await hasTable(db, engine, MIGRATION_TABLE)) ? 0 : await readVersion(db, engine);
  const migrator = new Migrator({
    db,
    migrationTableName: MIGRATION_TABLE,
    provider: { getMigrations: async () => migrationsOn(engine, before) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  await writeVersion(db, engine, CONTROL_VERSION, OLDEST_GATEWAY_VERSION);
}

/**
 * `before`: the number of migrations run by a Tollgate from before the migrator. These are only recorded by name, not
 * run again.
 */
function migrationsOn(engine: Engine, before: number): Record<string, Migration> {
  const named = Object.entries(controlMigrations).map(([name, up], index): [string, Migration] => [
    name,
    { up: index < before ? async () => {} : (db: ControlDb) => up(migrationTools(db, engine)) },
  ]);
  return Object.fromEntries(named);
}
