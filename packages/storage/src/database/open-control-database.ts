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
  /** For a read that takes long: nobody else waits for it. */
  readAside<Row>(query: { compile(): CompiledQuery<Row> }): Promise<Row[]>;
  /** For the end of the plane that writes it; PostgreSQL looks after its own log. */
  emptyLog(): void;
  /** null: it is no file of ours. */
  readonly file: DatabaseFile | null;
  close(): Promise<void>;
}

export type ControlDatabaseOptions =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** Opens the control plane's database, brought up to the schema that this program knows. */
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
    // What is asked of the read model is spread over the file: keep the upper levels of every index in memory.
    database.run("PRAGMA cache_size = -65536");
    database.run("PRAGMA mmap_size = 1073741824");
    // The follower writes the same few thousand pages with every batch: copy them back once in 64 MB.
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

/** What people decided since the file was lost is saved with the rest, as far as there is a place for it. */
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
    // Its address without who we are there.
    const { hostname, port, pathname } = new URL(url);
    throw new DatabaseAway(`PostgreSQL at ${hostname}:${port || "5432"}${pathname} cannot be reached`);
  }
  return {
    db,
    engine: "postgres",
    file: null,
    // It is another process anyway.
    readAside: async query => (await db.executeQuery(query.compile())).rows,
    emptyLog: () => {},
    close: () => db.destroy(),
  };
}

/** Any number, as long as every Tollgate uses the same: of two that start at once, one migrates. */
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
