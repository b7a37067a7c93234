import { describe, expect, it } from "bun:test";
import { type CompiledQuery, sql } from "kysely";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { openControlDatabase } from "../database/open-control-database.ts";

const inFolder = temporaryFolder();
let made = 0;

const open = () => openControlDatabase({ kind: "sqlite", path: inFolder(`control-${made++}.db`) });

/** Counts up to a number and returns a value of every kind. */
function counting(numbers: number) {
  return sql<{ numbers: number; text: string | null; empty: null }>`
    WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${numbers})
    SELECT max(value) AS numbers, ${'ü, "quoted"'} AS text, NULL AS empty FROM n`;
}

/** Not `rejects`: the runner waits for it in a way that blocks messages from the thread. */
function faultOf(reading: Promise<unknown>): Promise<string> {
  return reading.then(() => "none", String);
}

describe("a long read of SQLite", () => {
  it("returns the same rows as a short read, and lets other work run in the meantime", async () => {
    const database = await open();
    const { db } = database;
    const compiled = (numbers: number) => ({ compile: () => counting(numbers).compile(db) });
    expect(await database.longRead(compiled(3))).toEqual((await counting(3).execute(db)).rows);
    // This thread may be paused for as long as one read takes.
    await eventually("other work runs during a read", async () => {
      const reading = database.longRead(compiled(3_000_000));
      const isOver = reading.then(() => true);
      let turns = 0;
      while (!(await Promise.race([isOver, Bun.sleep(1).then(() => false)]))) turns++;
      expect((await reading)[0]?.numbers).toBe(3_000_000);
      return turns > 0;
    });
    await database.close();
  });

  it("sees what was committed before it started, and can only read", async () => {
    const database = await open();
    const { db } = database;
    const names = () => ({ compile: () => db.selectFrom("cursors").select("reader").compile() });
    expect(await database.longRead(names())).toEqual([]);
    await db.insertInto("cursors").values({ reader: "here", node: "local", position: 1 }).execute();
    expect(await database.longRead(names())).toEqual([{ reader: "here" }]);
    const writing = db.deleteFrom("cursors").compile() as CompiledQuery<unknown>;
    expect(await faultOf(database.longRead({ compile: () => writing }))).toContain("readonly");
    expect(await database.longRead(names())).toHaveLength(1);
    await database.close();
  });

  it("fails with the query's error, and when the database is closed during the read", async () => {
    const database = await open();
    const { db } = database;
    const wrong = sql<unknown>`SELECT 1 FROM nowhere`.compile(db);
    expect(await faultOf(database.longRead({ compile: () => wrong }))).toContain("nowhere");
    const compiled = counting(50_000_000).compile(db);
    const reading = database.longRead({ compile: () => compiled });
    const fault = faultOf(reading);
    await database.close();
    expect(await fault).toContain("closed");
  });

  it("does not wait for another one that takes long", async () => {
    const database = await open();
    const { db } = database;
    const read = (numbers: number) => database.longRead({ compile: () => counting(numbers).compile(db) });
    let isLongOver = false;
    const long = faultOf(read(50_000_000)).finally(() => {
      isLongOver = true;
    });
    expect((await read(3))[0]?.numbers).toBe(3);
    expect(isLongOver).toBe(false);
    await database.close();
    expect(await long).toContain("closed");
  });
});
