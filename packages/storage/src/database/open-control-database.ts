import type { Database } from "bun:sqlite";
import { SQL } from "bun";
import { type CompiledQuery, Kysely } from "kysely";
import { BunPostgresDialect } from "../engine/bun-postgres-dialect.ts";
import { BunSqliteDialect } from "../engine/bun-sqlite-dialect.ts";
import { DatabaseFile, saveLostDatabase } from "../engine/database-file.ts";
import { DatabaseUnavailable } from "../engine/database-unavailable.ts";
import type { Engine } from "../engine/engine.ts";
import { fitCache } from "../engine/fit-cache.ts";
import { type Leading, leadByLock } from "../engine/lead-by-lock.ts";
import { nameOfDatabase } from "../engine/name-of-database.ts";
import { withName } from "../engine/naming-file.ts";
import { Pulse, type Version } from "../engine/pulse.ts";
import { dataVersion, emptyLog, openForWriting, openMapped } from "../engine/sqlite.ts";
import { ThreadedReader } from "../engine/threaded-reader.ts";
import { isNewer, isNewerForGateways, migrateControl } from "./migrate-control.ts";
import type { ControlDb, ControlSchema } from "./schema.ts";
import { UnfinishedMigration } from "./unfinished-migration.ts";

export type { Engine };

const LOOK_EVERY_MS = 100;
const FIT_CACHE_EVERY_MS = 5000;

export interface ControlDatabase {
  readonly db: ControlDb;
  readonly engine: Engine;
  /** Runs a long read without blocking other work. */
  longRead<Row>(query: { compile(): CompiledQuery<Row> }): Promise<Row[]>;
  /** Runs work in one of the processes that share the database, until the signal. A file has only one. */
  lead(signal: AbortSignal, leading: Leading): Promise<void>;
  /** Calls `heard` for each notification on a channel of PostgreSQL, until the signal; null: there are none. */
  readonly listen: ((channel: string, heard: () => void, signal: AbortSignal) => Promise<void>) | null;
  /** null: unknown. */
  version(): Version | null;
  /** Wakes what waits for a change of the database; null: nothing tells what other processes change. */
  readonly pulse: Pulse | null;
  /** Called at shutdown by the writing plane; PostgreSQL manages its own log. */
  emptyLog(): void;
  /** null: not stored in a local file. */
  readonly file: DatabaseFile | null;
  close(): Promise<void>;
}

export type ControlDatabaseOptions =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/**
 * `migration`: `svc migrate` opens a PostgreSQL into which an installation is being moved. `gateway`: the sidecar of a gateway
 * also opens one that a newer version has migrated, if that version allows it. A control plane never does: what it derives would
 * lack what is new.
 */
export type Purpose = "use" | "migration" | "gateway";

/** Opens the control plane's database and migrates it to this program's schema. */
export async function openControlDatabase(
  options: ControlDatabaseOptions,
  purpose: Purpose = "use",
): Promise<ControlDatabase> {
  switch (options.kind) {
    case "sqlite":
      return openSqlite(options.path);
    case "postgres":
      return openPostgres(options.url, purpose);
  }
}

async function openSqlite(path: string): Promise<ControlDatabase> {
  const { database, reader } = openConnections(path);
  const db = new Kysely<ControlSchema>({ dialect: new BunSqliteDialect(database, reader) });
  try {
    fitCache(database);
    database.run("PRAGMA mmap_size = 1073741824");
    // The follower rewrites the same few thousand pages in every batch: checkpoint once per 64 MB.
    database.run("PRAGMA wal_autocheckpoint = 16384");
    database.run("PRAGMA journal_size_limit = 67108864");
    await migrateControl(db, "sqlite");
  } catch (fault) {
    await db.destroy();
    throw withName(path, fault);
  }
  // The second is started only when the first is busy: a page must not wait for another user's long query.
  const readers = [new ThreadedReader(path), new ThreadedReader(path)] as const;
  const idlest = () => readers.reduce((best, one) => (one.pending < best.pending ? one : best));
  const file = new DatabaseFile(path);
  // Read on the connection that queries use: work woken by a change must not see the state before that change's commit.
  const version = () => dataVersion(reader);
  const fitting = setInterval(() => tryToFitCache(database), FIT_CACHE_EVERY_MS).unref();
  return {
    db,
    engine: "sqlite",
    file,
    longRead: query => idlest().rows(query.compile()),
    lead: (signal, { work }) => work(signal),
    listen: null,
    version,
    pulse: new Pulse({ readVersion: version, logPath: file.logPath, lookEveryMs: LOOK_EVERY_MS }),
    emptyLog: () => emptyLog(database),
    async close() {
      clearInterval(fitting);
      for (const reader of readers) reader.close();
      saveIfLost(database, file);
      await db.destroy();
    },
  };
}

/** Both, or none: a connection that stays open holds the file. */
function openConnections(path: string): { readonly database: Database; readonly reader: Database } {
  const database = openForWriting(path, "full");
  try {
    return { database, reader: openMapped(path) };
  } catch (fault) {
    database.close();
    throw fault;
  }
}

function tryToFitCache(database: Database): void {
  try {
    fitCache(database);
  } catch {
    // The file cannot be read: whatever needs it reports that.
  }
}

/** If the file was lost, saves the data to a new one, when there is somewhere to write. */
function saveIfLost(database: Database, file: DatabaseFile): void {
  try {
    saveLostDatabase(database, file);
  } catch {
    // The directory was removed, too.
  }
}

async function openPostgres(url: string, purpose: Purpose): Promise<ControlDatabase> {
  const client = new SQL(url, { bigint: true, max: 10 });
  const db = new Kysely<ControlSchema>({ dialect: new BunPostgresDialect(client) });
  try {
    if (purpose !== "migration" && (await new UnfinishedMigration(db, "postgres").exists())) {
      throw new Error(
        "a migration into this database was not finished: run `svc migrate` again, with the same --to",
      );
    }
    if (purpose !== "gateway" || !(await isNewerForGateways(db))) await migrateControl(db, "postgres");
  } catch (fault) {
    await db.destroy();
    if (!(fault instanceof DatabaseUnavailable)) throw withName(nameOfDatabase(url), fault);
    throw new DatabaseUnavailable(fault.message.replace("the database", nameOfDatabase(url)));
  }
  return {
    db,
    engine: "postgres",
    file: null,
    // PostgreSQL runs in another process anyway.
    longRead: async query => (await db.executeQuery(query.compile())).rows,
    lead: (signal, leading) => leadByLock(url, signal, leading, async () => !(await isNewer(db))),
    async listen(channel, heard, signal) {
      // Also after a lost connection: something may have been notified in between.
      const subscription = await client.listen(channel, heard, heard);
      if (signal.aborted) await subscription.unlisten();
      else
        signal.addEventListener("abort", () => void subscription.unlisten().catch(() => {}), { once: true });
    },
    version: () => null,
    pulse: null,
    emptyLog: () => {},
    close: () => db.destroy(),
  };
}
