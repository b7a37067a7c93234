import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import { closeSync, existsSync, openSync, writeFileSync, writeSync } from "node:fs";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { emptyLog, openForWriting } from "../engine/sqlite.ts";
import { checkDatabase } from "./check-database.ts";
import { DatabaseSnapshot } from "./database-snapshot.ts";

const folder = temporaryFolder();

function filled(name: string, rows: number): Database {
  const database = openForWriting(folder(name), "normal");
  database.run("CREATE TABLE facts (id INTEGER PRIMARY KEY, content TEXT NOT NULL)");
  database.run("CREATE INDEX facts_by_content ON facts (content)");
  add(database, rows);
  return database;
}

function add(database: Database, rows: number): void {
  const insert = database.query("INSERT INTO facts (content) VALUES (?)");
  database.transaction(() => {
    for (let row = 0; row < rows; row++) insert.run(`${row} `.repeat(200));
  })();
}

const countIn = (path: string) => {
  const database = new Database(path, { readonly: true });
  try {
    return database.query<{ rows: number }, []>("SELECT count(*) AS rows FROM facts").get()?.rows;
  } finally {
    database.close();
  }
};

describe("DatabaseSnapshot", () => {
  it("copies a single moment, regardless of writes and checkpoints during the copy", async () => {
    const database = filled("moving.db", 2000);
    const snapshot = new DatabaseSnapshot(folder("moving.db"));
    add(database, 1000);
    const seen: number[] = [];
    const whileCopying = (bytes: number) => {
      seen.push(bytes);
      add(database, 10);
      database.run("DELETE FROM facts WHERE id <= 500");
      emptyLogNow(database);
    };
    await snapshot.copyTo(folder("moment.db"), whileCopying, 50);
    expect(snapshot.number("SELECT count(*) FROM facts")).toBe(2000);
    snapshot.close();
    database.close();
    expect(countIn(folder("moment.db"))).toBe(2000);
    expect(checkDatabase(folder("moment.db"), "full")).toEqual([]);
    expect(seen.length).toBeGreaterThan(0);
  });

  it("makes a copy that is readable without its write-ahead log", async () => {
    const database = filled("plain.db", 10);
    const snapshot = new DatabaseSnapshot(folder("plain.db"));
    await snapshot.copyTo(folder("plain-copy.db"));
    snapshot.close();
    snapshot.close();
    database.close();
    expect(countIn(folder("plain-copy.db"))).toBe(10);
    expect(["-wal", "-shm", "-journal"].filter(end => existsSync(folder(`plain-copy.db${end}`)))).toEqual([]);
  });
});

describe("checkDatabase", () => {
  it("finds damage, and a file that is not a database; one that cannot be opened is not damaged", () => {
    const database = filled("damaged.db", 2000);
    emptyLog(database);
    database.close();
    expect([checkDatabase(folder("damaged.db")), checkDatabase(folder("damaged.db"), "full")]).toEqual([
      [],
      [],
    ]);
    const file = openSync(folder("damaged.db"), "r+");
    writeSync(file, new Uint8Array(4096).fill(7), 0, 4096, 4096 * 20);
    closeSync(file);
    expect(checkDatabase(folder("damaged.db")).length).toBeGreaterThan(0);
    writeFileSync(
      folder("text.db"),
      "not a database, but long enough to be read as the header of one ".repeat(20),
    );
    expect(checkDatabase(folder("text.db")).length).toBe(1);
    expect(() => checkDatabase(folder("missing.db"))).toThrow("missing.db cannot be opened");
  });
});

/** Does not wait for the snapshot, which keeps part of the log. */
function emptyLogNow(database: Database): void {
  database.run("PRAGMA busy_timeout = 0");
  emptyLog(database);
}
