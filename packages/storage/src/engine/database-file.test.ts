import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import { copyFileSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { DatabaseFile } from "./database-file.ts";
import { openForWriting } from "./sqlite.ts";

const path = temporaryFolder();

function filled(name: string, rows: number): Database {
  const database = openForWriting(path(name), "normal");
  database.run("CREATE TABLE numbers (value INTEGER)");
  for (let value = 0; value < rows; value++) database.run("INSERT INTO numbers VALUES (?)", [value]);
  return database;
}

describe("a database file that another one has replaced", () => {
  it("REL-014 removes its log, which SQLite would read as the new file's", () => {
    const older = filled("older.db", 3);
    older.run("PRAGMA wal_checkpoint(TRUNCATE)");
    older.close();
    const running = filled("running.db", 500);
    const file = new DatabaseFile(path("running.db"));
    expect(existsSync(path("running.db-wal"))).toBe(true);

    copyFileSync(path("older.db"), path("copy.db"));
    renameSync(path("copy.db"), path("running.db"));
    expect(file.look()).toBe("replaced");
    expect(existsSync(path("running.db-wal"))).toBe(false);
    const replaced = new Database(path("running.db"));
    expect(replaced.query("SELECT count(*) AS rows FROM numbers").get()).toEqual({ rows: 3 });
    expect(replaced.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    // A process with the old file open can still read all of it.
    expect(running.query("SELECT count(*) AS rows FROM numbers").get()).toEqual({ rows: 500 });
    replaced.close();
    running.close();
  });

  it("REL-014 keeps a log that came with the new file", () => {
    const running = filled("own.db", 5);
    const file = new DatabaseFile(path("own.db"));
    writeFileSync(path("other.db"), "");
    renameSync(path("other.db"), path("own.db"));
    writeFileSync(path("other-wal"), "theirs");
    renameSync(path("other-wal"), path("own.db-wal"));
    expect(file.look()).toBe("replaced");
    expect(existsSync(path("own.db-wal"))).toBe(true);
    running.close();
  });
});
