import { expect, it } from "bun:test";
import { Kysely, sql } from "kysely";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { BunSqliteDialect } from "./bun-sqlite-dialect.ts";
import { openForWriting, openMapped } from "./sqlite.ts";

interface Schema {
  words: { word: string };
}

const inFolder = temporaryFolder();

async function open(name: string): Promise<Kysely<Schema>> {
  const path = inFolder(name);
  const file = openForWriting(path, "full");
  file.run("CREATE TABLE words (word TEXT NOT NULL)");
  return new Kysely<Schema>({ dialect: new BunSqliteDialect(file, openMapped(path)) });
}

const words = async (db: Kysely<Schema>) =>
  (await db.selectFrom("words").select("word").execute()).map(({ word }) => word);

it("a query does not wait for a transaction that writes, and sees it once it is committed", async () => {
  const db = await open("beside.db");
  await db.transaction().execute(async transaction => {
    await transaction.insertInto("words").values({ word: "one" }).execute();
    expect(await words(db)).toEqual([]);
    expect(await words(transaction)).toEqual(["one"]);
  });
  expect(await words(db)).toEqual(["one"]);
  await db.insertInto("words").values({ word: "two" }).execute();
  expect(await words(db)).toEqual(["one", "two"]);
  await db.destroy();
});

it("a transaction that only reads sees one state, while others write", async () => {
  const db = await open("snapshot.db");
  await db
    .transaction()
    .setAccessMode("read only")
    .execute(async snapshot => {
      expect(await words(snapshot)).toEqual([]);
      await db.insertInto("words").values({ word: "one" }).execute();
      expect(await words(snapshot)).toEqual([]);
    });
  expect(await words(db)).toEqual(["one"]);
  await db.destroy();
});

it("statements of one connection are not interleaved with those of another transaction", async () => {
  const db = await open("exclusive.db");
  const order: string[] = [];
  const write = async (name: string) => {
    await db.transaction().execute(async transaction => {
      for (const step of ["begins", "ends"]) {
        await transaction.insertInto("words").values({ word: name }).execute();
        order.push(`${name} ${step}`);
      }
    });
  };
  await Promise.all([write("one"), write("two"), write("three")]);
  expect(order).toEqual(["one begins", "one ends", "two begins", "two ends", "three begins", "three ends"]);
  await db.destroy();
});

it("a failed transaction leaves the connection to the next request", async () => {
  const db = await open("failed.db");
  const failing = db.transaction().execute(async transaction => {
    await transaction.insertInto("words").values({ word: "lost" }).execute();
    await sql`SELECT 1 FROM nowhere`.execute(transaction);
  });
  await expect(failing).rejects.toThrow("nowhere");
  await db.insertInto("words").values({ word: "kept" }).execute();
  expect(await words(db)).toEqual(["kept"]);
  await db.destroy();
});
