import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { GroupCommit } from "./group-commit.ts";

function openTable() {
  const database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE t (x INTEGER PRIMARY KEY)");
  const group = new GroupCommit(database);
  const insert = database.query("INSERT INTO t VALUES (?)");
  return {
    database,
    group,
    insert: (...values: number[]) => group.write(() => values.forEach(value => void insert.run(value))),
    rows: () =>
      database
        .query<{ x: number }, []>("SELECT x FROM t ORDER BY x")
        .all()
        .map(row => row.x),
  };
}

describe("GroupCommit", () => {
  it("resolves each write only once other connections can read it", async () => {
    const table = openTable();
    const first = table.insert(1).then(() => table.rows());
    expect(table.rows()).toEqual([]);
    expect(await first).toEqual([1]);
  });

  it("isolates a failing write: it fails no other write and leaves nothing behind", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async failing => {
        const table = openTable();
        const results = await Promise.allSettled(
          // A failing write inserts a row before it fails on a duplicate.
          failing.map((fails, index) =>
            fails ? table.insert(1000 + index, 1000 + index) : table.insert(index),
          ),
        );
        expect(results.map(result => result.status)).toEqual(
          failing.map(fails => (fails ? "rejected" : "fulfilled")),
        );
        expect(table.rows()).toEqual(failing.flatMap((fails, index) => (fails ? [] : [index])));
      }),
      { numRuns: 50 },
    );
  });

  it("rejects a write that cannot start, and ends the transaction that blocked it", async () => {
    const table = openTable();
    table.database.run("BEGIN");
    expect(table.insert(1)).rejects.toThrow("within a transaction");
    await table.insert(2);
    expect(table.rows()).toEqual([2]);
  });

  it("commits pending writes when flushed", async () => {
    const table = openTable();
    const waiting = table.insert(7);
    table.group.flush();
    expect(table.rows()).toEqual([7]);
    await waiting;
  });

  it("notifies every listener even if one throws", async () => {
    const table = openTable();
    const notified: string[] = [];
    const write = (name: string, done: () => void) =>
      table.group.enqueue({ apply: () => {}, done, failed: () => void notified.push(`${name} failed`) });
    write("first", () => notified.push("first"));
    write("second", () => {
      throw new RangeError("too much");
    });
    write("third", () => notified.push("third"));
    table.group.flush();
    expect(notified).toEqual(["first", "second failed", "third"]);
  });

  it("accepts writes from the continuation of another", async () => {
    const table = openTable();
    await table.insert(1).then(() => table.insert(2));
    expect(table.rows()).toEqual([1, 2]);
  });
});
