import { Database } from "bun:sqlite";
import { expect, it } from "bun:test";
import { fitCache } from "./fit-cache.ts";

const MIB = 1024 * 1024;

function cacheMib(fileMib: number): number {
  const database = new Database(":memory:");
  try {
    database.run("CREATE TABLE t (data BLOB)");
    if (fileMib > 0) database.run("INSERT INTO t VALUES (zeroblob(?))", [fileMib * MIB]);
    fitCache(database);
    const cache = database.query<{ cache_size: number }, []>("PRAGMA cache_size").get();
    return -(cache?.cache_size ?? 0) / 1024;
  } finally {
    database.close();
  }
}

it("gives a small file a small cache, and a larger one a quarter of its size", () => {
  expect(cacheMib(0)).toBe(8);
  expect(cacheMib(20)).toBe(8);
  expect(cacheMib(80)).toBeCloseTo(20, 0);
});

it("never gives more than 64 MiB", () => {
  expect(cacheMib(600)).toBe(64);
});
