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
  database.run("PRAGMA journal_mode = WAL");
  database.run(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  database.run("PRAGMA busy_timeout = 5000");
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
 * Runs the migrations that this file has not seen, each in its own transaction, forward only. The position in
 * the list is the version: entries are appended, never edited.
 */
export function migrate(database: Database, migrations: readonly string[]): void {
  const version =
    database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
  if (version > migrations.length) {
    throw new Error(
      `the database is of version ${version}, this program knows ${migrations.length}: it was written by a newer Tollgate`,
    );
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    database.transaction(() => {
      database.run(sql);
      database.run(`PRAGMA user_version = ${index + 1}`);
    })();
  }
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
