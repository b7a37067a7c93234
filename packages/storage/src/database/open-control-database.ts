import type { Database } from "bun:sqlite";
import { SQL } from "bun";
import { type CompiledQuery, Kysely, sql } from "kysely";
import { BunPostgresDialect } from "../engine/bun-postgres-dialect.ts";
import { BunSqliteDialect } from "../engine/bun-sqlite-dialect.ts";
import { DatabaseAway } from "../engine/database-away.ts";
import { DatabaseFile, saveLostDatabase } from "../engine/database-file.ts";
import { AsideReader } from "../engine/read-aside.ts";
import { checkedVersion, emptyLog, migrate, openForWriting } from "../engine/sqlite.ts";
import { toPostgres } from "../engine/to-postgres.ts";
import { controlMigrations } from "./migrations.ts";
import type { ControlSchema } from "./schema.ts";

export type Engine = "sqlite" | "postgres";

export interface ControlDatabase {
  readonly db: Kysely<ControlSchema>;
  readonly engine: Engine;
  /** Runs a long read without blocking anybody. */
  readAside<Row>(query: { compile(): CompiledQuery<Row> }): Promise<Row[]>;
  /** For the shutdown of the plane that writes it; PostgreSQL manages its own log. */
  emptyLog(): void;
  /** null: not a local file. */
  readonly file: DatabaseFile | null;
  close(): Promise<void>;
}

export type ControlDatabaseOptions =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** Opens the control plane's database and migrates it to this program's schema. */
export async function openControlDatabase(options: ControlDatabaseOptions): Promise<ControlDatabase> {
  switch (options.kind) {
    case "sqlite":
      return openSqlite(options.path);
    case "postgres":
      return openPostgres(options.url);
  }
}

function openSqlite(path: string): ControlDatabase {
  const database = openForWriting(path, "full");
  try {
    // Read-model queries are spread over the file: keep the upper levels of every index in memory.
    database.run("PRAGMA cache_size = -65536");
    database.run("PRAGMA mmap_size = 1073741824");
    // The follower rewrites the same few thousand pages in every batch: checkpoint once per 64 MB.
    database.run("PRAGMA wal_autocheckpoint = 16384");
    database.run("PRAGMA journal_size_limit = 67108864");
    migrate(database, controlMigrations);
  } catch (fault) {
    database.close();
    throw fault;
  }
  const db = new Kysely<ControlSchema>({ dialect: new BunSqliteDialect(database) });
  const aside = new AsideReader(path);
  const file = new DatabaseFile(path);
  return {
    db,
    engine: "sqlite",
    file,
    readAside: query => aside.rows(query.compile()),
    emptyLog: () => emptyLog(database),
    async close() {
      aside.close();
      saveIfLost(database, file);
      await db.destroy();
    },
  };
}

/** Saves decisions made since the file was lost with the rest, if there is a place to write to. */
function saveIfLost(database: Database, file: DatabaseFile): void {
  try {
    saveLostDatabase(database, file);
  } catch {
    // Its folder is gone, too.
  }
}

async function openPostgres(url: string): Promise<ControlDatabase> {
  const client = new SQL(url, { bigint: true, max: 10 });
  const db = new Kysely<ControlSchema>({ dialect: new BunPostgresDialect(client) });
  try {
    await migratePostgres(db);
  } catch (fault) {
    await db.destroy();
    if (!(fault instanceof DatabaseAway)) throw fault;
    // The address without the credentials.
    const { hostname, port, pathname } = new URL(url);
    throw new DatabaseAway(`PostgreSQL at ${hostname}:${port || "5432"}${pathname} cannot be reached`);
  }
  return {
    db,
    engine: "postgres",
    file: null,
    // PostgreSQL is another process anyway.
    readAside: async query => (await db.executeQuery(query.compile())).rows,
    emptyLog: () => {},
    close: () => db.destroy(),
  };
}

/** Arbitrary, but the same in every Tollgate: of two that start at once, one migrates. */
const MIGRATION_LOCK = 7_014_655_283;

async function migratePostgres(db: Kysely<ControlSchema>): Promise<void> {
  await db.transaction().execute(async transaction => {
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
    await sql`CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)`.execute(transaction);
    const { rows } = await sql<{ version: number }>`SELECT version FROM schema_version`.execute(transaction);
    const version = checkedVersion(rows[0]?.version ?? 0, controlMigrations.length);
    if (version === controlMigrations.length) return;
    for (const migration of controlMigrations.slice(version)) {
      await sql.raw(toPostgres(migration)).execute(transaction);
    }
    await sql`DELETE FROM schema_version`.execute(transaction);
    await sql`INSERT INTO schema_version VALUES (${sql.lit(controlMigrations.length)})`.execute(transaction);
  });
}
