import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";

export type Durability = "normal" | "full";

/**
 * Opens a database for its one writer. WAL lets other processes read meanwhile. `normal` survives `kill -9` of
 * the process; `full` also a power cut, at one fsync a commit.
 */
export function openForWriting(path: string, durability: Durability): Database {
  // Not `strict`: its check of every parameter costs a fifth of an insert, and ours are counted by their type.
  const database = new Database(path, { create: true });
  // First: two processes may open a new file at once, and the next line already needs its lock.
  database.run("PRAGMA busy_timeout = 5000");
  database.run("PRAGMA journal_mode = WAL");
  database.run(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  database.run("PRAGMA foreign_keys = ON");
  // A page that is written again and again is copied back once in 16 MB, not once in 4.
  database.run("PRAGMA wal_autocheckpoint = 4000");
  // A log that once grew under a long reader shrinks again at the next reset.
  database.run("PRAGMA journal_size_limit = 16777216");
  return database;
}

/** Opens the other plane's database. It cannot be written through this connection. */
export function openForReading(path: string): Database {
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  const database = new Database(path, { readonly: true, strict: true });
  database.run("PRAGMA busy_timeout = 5000");
  database.run("PRAGMA query_only = ON");
  return database;
}

/**
 * Copies the write-ahead log into the database and empties it: whoever then copies the one file has everything. For
 * the end of a process, never for a call: it waits for readers and for the disk.
 */
export function emptyLog(database: Database): void {
  try {
    database.query("PRAGMA wal_checkpoint(TRUNCATE)").get();
  } catch {
    // A full disk: the log stays where it is, and is read together with the file.
  }
}

/**
 * Runs the migrations that this file has not seen, all in one transaction, forward only: of two processes that
 * start at once, the second waits and finds nothing to do. The position in the list is the version: entries are
 * appended, never edited.
 */
export function migrate(database: Database, migrations: readonly string[]): void {
  if (checkedVersion(versionOf(database), migrations.length) === migrations.length) return;
  database
    .transaction(() => {
      const version = checkedVersion(versionOf(database), migrations.length);
      for (const sql of migrations.slice(version)) database.run(sql);
      database.run(`PRAGMA user_version = ${migrations.length}`);
    })
    .immediate();
}

function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Throws where a newer program has written: what it wrote would be misread. */
export function checkedVersion(version: number, known: number): number {
  if (version <= known) return version;
  throw new Error(
    `the database is of version ${version}, this program knows ${known}: it was written by a newer Tollgate`,
  );
}

/** Tells whether another connection has written since the last time it was asked. */
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
