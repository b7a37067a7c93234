import { sql } from "kysely";
import type { Engine } from "../engine/engine.ts";
import type { ControlDb } from "./schema.ts";

/**
 * How many migrations a database has had: `user_version` on SQLite, a one-row table on PostgreSQL. Versions from before
 * Kysely's migrator know only this number and refuse one greater than theirs; backups record it, too.
 */
export async function readVersion(db: ControlDb, engine: Engine): Promise<number> {
  if (engine === "postgres" && !(await hasTable(db, engine, "schema_version"))) return 0;
  const { rows } = await (engine === "sqlite"
    ? sql<{ version: number }>`SELECT user_version AS version FROM pragma_user_version`
    : sql<{ version: number }>`SELECT version FROM schema_version`
  ).execute(db);
  return rows[0]?.version ?? 0;
}

/**
 * The oldest version whose gateways can use a PostgreSQL that a newer version has migrated; null: none. A newer version
 * knows what it has changed, an older one cannot, so the newer one records it.
 */
export async function readOldestGateway(db: ControlDb): Promise<number | null> {
  // As JSON, because versions from before this column did not create it.
  const { rows } = await sql<{ version: number | null }>`
    SELECT CAST(to_jsonb(schema_version) ->> 'oldest_gateway' AS BIGINT) AS version FROM schema_version`.execute(
    db,
  );
  return rows[0]?.version ?? null;
}

export async function writeVersion(
  db: ControlDb,
  engine: Engine,
  version: number,
  oldestGateway: number,
): Promise<void> {
  if (engine === "sqlite") {
    await sql`PRAGMA user_version = ${sql.lit(version)}`.execute(db);
    return;
  }
  await sql`CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)`.execute(db);
  await sql`ALTER TABLE schema_version ADD COLUMN IF NOT EXISTS oldest_gateway BIGINT`.execute(db);
  await sql`DELETE FROM schema_version`.execute(db);
  await sql`INSERT INTO schema_version (version, oldest_gateway)
    VALUES (${sql.lit(version)}, ${sql.lit(oldestGateway)})`.execute(db);
}

export async function hasTable(db: ControlDb, engine: Engine, name: string): Promise<boolean> {
  const { rows } = await (engine === "sqlite"
    ? sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name = ${name}`
    : sql`SELECT name FROM (SELECT to_regclass(${name}) AS name) AS found WHERE name IS NOT NULL`
  ).execute(db);
  return rows.length > 0;
}
