import type { Database } from "bun:sqlite";
import { Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { advisoryLocks } from "../engine/advisory-locks.ts";
import { BunSqliteDialect } from "../engine/bun-sqlite-dialect.ts";
import type { Engine } from "../engine/engine.ts";
import { BUSY_TIMEOUT_MS, checkedVersion } from "../engine/sqlite.ts";
import { migrationTools } from "./control-migration.ts";
import { controlMigrations } from "./migrations.ts";
import type { ControlDb } from "./schema.ts";
import { hasTable, readVersion, writeVersion } from "./schema-version.ts";

/** The schema version that this program knows. */
export const CONTROL_VERSION = Object.keys(controlMigrations).length;

const MIGRATION_PATIENCE_MS = 120_000;

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
    // Another process may be migrating, which takes a while on a busy machine.
    if (engine === "sqlite") await sql.raw(`PRAGMA busy_timeout = ${MIGRATION_PATIENCE_MS}`).execute(db);
    await db.transaction().execute(async transaction => {
      if (engine === "postgres") await lockMigrations(transaction);
      if (!(await isUpToDate(transaction, engine))) await runMigrations(transaction, engine);
    });
    if (engine === "sqlite") await sql.raw(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`).execute(db);
  });
  underWay = migration.catch(() => {});
  return migration;
}

/** The same for a file that is used without Kysely. */
export function migrateControlFile(database: Database): Promise<void> {
  return migrateControl(new Kysely({ dialect: new BunSqliteDialect(database) }), "sqlite");
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
  await writeVersion(db, engine, CONTROL_VERSION);
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
