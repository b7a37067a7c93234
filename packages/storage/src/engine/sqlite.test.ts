import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { ChangeDetector, makeShrinkable, migrate, openForReading, openForWriting } from "./sqlite.ts";

const path = temporaryFolder();
const versionOf = (database: Database) =>
  database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;

describe("an error while a database is opened", () => {
  it("names the file", () => {
    const text = path("text.db");
    writeFileSync(text, "not a database, ".repeat(500));
    expect(() => openForWriting(text, "normal")).toThrow(`${text}: file is not a database`);
    expect(() => makeShrinkable(text)).toThrow(`${text}: file is not a database`);
    const nowhere = path("no-such-folder/a.db");
    expect(() => openForWriting(nowhere, "normal")).toThrow(`${nowhere}: unable to open database file`);
    const newer = path("of-a-newer-version.db");
    const database = openForWriting(newer, "normal");
    database.run("PRAGMA user_version = 99");
    expect(() => migrate(database, [])).toThrow(
      `${newer}: the database is of version 99, this program knows 0`,
    );
    database.close();
  });
});

describe("migrate", () => {
  const first = "CREATE TABLE a (x INTEGER); CREATE TABLE b (y INTEGER);";
  const second = "ALTER TABLE a ADD COLUMN z INTEGER;";

  it("runs each migration once, in order, continuing where an older program stopped", () => {
    const database = openForWriting(path("steps.db"), "normal");
    migrate(database, [first]);
    database.run("INSERT INTO a VALUES (1)");
    migrate(database, [first, second]);
    migrate(database, [first, second]);
    expect(database.query("SELECT x, z FROM a").all()).toEqual([{ x: 1, z: null }]);
    expect(versionOf(database)).toBe(2);
    database.close();
  });

  it("rolls back a migration that failed halfway", () => {
    const database = openForWriting(path("half.db"), "normal");
    migrate(database, [first]);
    expect(() => migrate(database, [first, "CREATE TABLE c (x); CREATE TABLE a (x);"])).toThrow();
    expect(versionOf(database)).toBe(1);
    expect(database.query("SELECT name FROM sqlite_schema WHERE name = 'c'").all()).toEqual([]);
    database.close();
  });

  it("refuses a database that a newer program wrote, and does not touch it", () => {
    const database = openForWriting(path("newer.db"), "normal");
    migrate(database, [first, second]);
    expect(() => migrate(database, [first])).toThrow("newer");
    expect(versionOf(database)).toBe(2);
    database.close();
  });
});

describe("the connections", () => {
  it("cannot write when opened for reading", () => {
    const writer = openForWriting(path("read.db"), "normal");
    writer.run("CREATE TABLE a (x INTEGER)");
    const reader = openForReading(path("read.db"));
    expect(() => reader.run("INSERT INTO a VALUES (1)")).toThrow();
    expect(() => openForReading(path("absent.db"))).toThrow("does not exist");
    reader.close();
    writer.close();
  });

  it("syncs every commit to disk with durability full", () => {
    for (const [durability, synchronous] of [
      ["normal", 1],
      ["full", 2],
    ] as const) {
      const database = openForWriting(path(`${durability}.db`), durability);
      expect(database.query("PRAGMA synchronous").get()).toEqual({ synchronous });
      expect(database.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
      database.close();
    }
  });

  it("reports a change by another connection once", () => {
    const writer = openForWriting(path("changes.db"), "normal");
    writer.run("CREATE TABLE a (x INTEGER)");
    const reader = new Database(path("changes.db"), { readonly: true });
    const changes = new ChangeDetector(reader);
    expect([changes.changed(), changes.changed()]).toEqual([true, false]);
    writer.run("INSERT INTO a VALUES (1)");
    expect([changes.changed(), changes.changed()]).toEqual([true, false]);
    reader.close();
    writer.close();
  });
});

it("REL-022 rewrites a file of an older version once, so that it can shrink, and keeps its rows", () => {
  const file = path("older.db");
  const older = new Database(file);
  older.run("PRAGMA journal_mode = WAL");
  older.run("CREATE TABLE rows (value INTEGER)");
  older.run("INSERT INTO rows VALUES (1), (2)");
  older.close();
  expect(makeShrinkable(file)).toBe(true);
  expect(makeShrinkable(file)).toBe(false);
  expect(makeShrinkable(path("missing.db"))).toBe(false);
  const rewritten = openForWriting(file, "normal");
  expect(rewritten.query("PRAGMA auto_vacuum").values()).toEqual([[2]]);
  expect(rewritten.query("SELECT value FROM rows").values()).toEqual([[1], [2]]);
  rewritten.close();
});
