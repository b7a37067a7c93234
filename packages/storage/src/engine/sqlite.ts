import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { namingFile } from "./naming-file.ts";

export const BUSY_TIMEOUT_MS = 5000;

export type Durability = "normal" | "full";

/**
 * Opens a database for its only writer. WAL allows other processes to read concurrently. `normal` survives `kill -9` of
 * the process; `full` also survives a power cut, at one fsync per commit.
 */
export function openForWriting(path: string, durability: Durability): Database {
  return namingFile(path, () => openWriter(path, durability));
}

function openWriter(path: string, durability: Durability): Database {
  // Not `strict`: checking every parameter costs a fifth of an insert, and types already fix the number of ours.
  const database = new Database(path, { create: true });
  // First: two processes may open a new file concurrently, and the next line already needs its lock.
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // A new file can give space back. Ignored once the file has content, which the next line writes.
  database.run("PRAGMA auto_vacuum = INCREMENTAL");
  database.run("PRAGMA journal_mode = WAL");
  database.run(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  database.run("PRAGMA foreign_keys = ON");
  // A page that is rewritten often is checkpointed once per 16 MB, not once per 4.
  database.run("PRAGMA wal_autocheckpoint = 4000");
  // A log that grew during a long read shrinks again at the next reset.
  database.run("PRAGMA journal_size_limit = 16777216");
  return database;
}

/**
 * Rewrites a file of an older version so that it can give space back. Takes seconds per gigabyte, and as much disk space
 * again as the file has; while it runs, other processes can read but not write. Returns whether it was necessary.
 */
export function makeShrinkable(path: string): boolean {
  if (!existsSync(path)) return false;
  return namingFile(path, () => rewriteShrinkable(path));
}

function rewriteShrinkable(path: string): boolean {
  const database = new Database(path, { readwrite: true });
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (database.query<{ auto_vacuum: number }, []>("PRAGMA auto_vacuum").get()?.auto_vacuum !== 0)
      return false;
    database.run("PRAGMA auto_vacuum = INCREMENTAL");
    database.run("VACUUM");
    emptyLog(database);
    return true;
  } finally {
    database.close();
  }
}

/** Releases at most `atMost` unused pages to the file system. Returns whether there may be more. */
export function releasePages(database: Database, atMost: number): boolean {
  return database.query(`PRAGMA incremental_vacuum(${atMost})`).all().length === atMost;
}

/** Opens a database read-only, usually the other plane's. */
export function openForReading(path: string): Database {
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  const database = namingFile(path, () => new Database(path, { readonly: true, strict: true }));
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.run("PRAGMA query_only = ON");
  return database;
}

/** Opens a database read-only and memory-maps it, for queries that read much of it. */
export function openMapped(path: string): Database {
  const database = openForReading(path);
  database.run("PRAGMA mmap_size = 1073741824");
  return database;
}

/** Changes with every commit of another connection. */
export function dataVersion(database: Database): number {
  return database.query<{ data_version: number }, []>("PRAGMA data_version").get()?.data_version ?? 0;
}

/**
 * Checkpoints and empties the write-ahead log, so that a copy of the one file is complete. Only for shutdown: it waits
 * for readers and for the disk.
 */
export function emptyLog(database: Database): void {
  try {
    database.query("PRAGMA wal_checkpoint(TRUNCATE)").get();
  } catch {
    // The disk is full: the log stays, and is read together with the file.
  }
}

/**
 * Runs the pending migrations, in one transaction: of two processes starting concurrently, the second waits and finds
 * nothing to do. The index in the list is the version, so entries are only appended, never edited.
 */
export function migrate(database: Database, migrations: readonly string[]): void {
  namingFile(database.filename, () => runMigrations(database, migrations));
}

function runMigrations(database: Database, migrations: readonly string[]): void {
  if (checkedVersion(versionOf(database), migrations.length) === migrations.length) return;
  database
    .transaction(() => {
      const version = checkedVersion(versionOf(database), migrations.length);
      for (const sql of migrations.slice(version)) database.run(sql);
      database.run(`PRAGMA user_version = ${migrations.length}`);
    })
    .immediate();
}

export function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Throws if a newer version wrote the database, because its data would be misread. */
export function checkedVersion(version: number, known: number): number {
  if (version <= known) return version;
  throw new Error(
    `the database is of version ${version}, this program knows ${known}: it was written by a newer Tollgate`,
  );
}

/** Reports whether another connection has written since the last check. */
export class ChangeDetector {
  readonly #statement;
  #version = -1;

  constructor(database: Database) {
    this.#statement = database.query<{ data_version: number }, []>("PRAGMA data_version");
  }

  changed(): boolean {
    const version = this.#statement.get()?.data_version ?? 0;
    if (version === this.#version) return false;
    this.#version = version;
    return true;
  }
}
