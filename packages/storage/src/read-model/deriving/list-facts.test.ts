import { describe, expect, it } from "bun:test";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { filledLedgers } from "../../../../../test/support/labs/filled-ledgers.ts";
import type { ControlDatabase } from "../../database/open-control-database.ts";
import { readSeq } from "../../following/stored-position.ts";
import { LISTS_CURSOR } from "../fact-lists.ts";
import { followReadModel } from "./follow-read-model.ts";
import { listFacts } from "./list-facts.ts";
import { listOlderFacts } from "./list-older-facts.ts";
import { EVENTS_CURSOR } from "./read-model-repair.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const databases = controlDatabases();
const filledLedger = filledLedgers();
const listing = { segmentEvents: 10, volumeSegments: 2 };

/** As the migration leaves it. */
async function withoutLists({ db }: ControlDatabase): Promise<void> {
  await sql`DELETE FROM fact_lists`.execute(db);
  await sql`DELETE FROM fact_volumes`.execute(db);
  await sql`DELETE FROM cursors WHERE reader = ${LISTS_CURSOR}`.execute(db);
}

describe.each(engines)("lists of facts in %s", engine => {
  it("WEB-008 are made of all older facts after an upgrade, although no call arrives", async () => {
    const database = await databases.open(engine);
    const { reader } = await filledLedger(57);
    await followReadModel(database, reader, { listing }).catchUp();
    await withoutLists(database);
    await followReadModel(database, reader, { listing }).catchUp();
    expect(await readSeq(database.db, LISTS_CURSOR)).toBe(50);
    expect(await verifyReadModel(database, reader)).toEqual([]);
  });

  it("begin where the read model is, if it has no facts of the events before", async () => {
    const { db } = await databases.open(engine);
    expect(await listFacts(db, engine, 1000, listing)).toEqual({
      listedSeq: 1000,
      due: 1010,
      isMore: false,
    });
  });
});

it("WEB-008 SQLite lists the facts of an older version at once, and tells how far it is", async () => {
  const database = await databases.open("sqlite");
  const { reader } = await filledLedger(57);
  await followReadModel(database, reader, { listing }).catchUp();
  await withoutLists(database);
  const told: [number, number][] = [];
  await listOlderFacts(database, (...progress) => told.push(progress), listing);
  expect(await readSeq(database.db, LISTS_CURSOR)).toBe(50);
  expect(told).toEqual([10, 20, 30, 40].map(listed => [listed, 57]));
  expect(await verifyReadModel(database, reader)).toEqual([]);
  await listOlderFacts(database, () => expect.unreachable(), listing);
});

it("WEB-008 lists keep up with a backlog, whose batches have several segments", async () => {
  const database = await databases.open("sqlite");
  const { db } = database;
  const { reader } = await filledLedger(200);
  await sql`CREATE TABLE unlisted (facts INTEGER)`.execute(db);
  await sql`CREATE TRIGGER after_each_batch AFTER UPDATE ON cursors WHEN new.reader = ${sql.lit(EVENTS_CURSOR)}
    BEGIN
      INSERT INTO unlisted
      SELECT new.position - coalesce(max(position), 0) FROM cursors WHERE reader = ${sql.lit(LISTS_CURSOR)};
    END`.execute(db);
  await followReadModel(database, reader, { batchSize: 40, listing }).catchUp();
  const { rows } = await sql<{ most: number }>`SELECT max(facts) AS most FROM unlisted`.execute(db);
  // A batch, and what was left of the segment before it.
  expect(rows[0]?.most).toBeLessThan(40 + listing.segmentEvents);
  expect(await readSeq(db, LISTS_CURSOR)).toBe(200);
});
