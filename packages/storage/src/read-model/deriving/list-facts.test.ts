import { describe, expect, it } from "bun:test";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { filledLedgers } from "../../../../../test/support/labs/filled-ledgers.ts";
import type { ControlDatabase, Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { readSeq } from "../../following/stored-position.ts";
import { LISTS_CURSOR, listedDimensions } from "../fact-lists.ts";
import { followReadModel } from "./follow-read-model.ts";
import { listFacts, removeEmptyLists } from "./list-facts.ts";
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

async function addFacts(db: ControlDb, from: number, count: number): Promise<void> {
  const facts = Array.from({ length: count }, (_, index) => ({
    ...{ seq: from + index, scope: 1, created_at: index, agent: 1, model: 1, status: 0 },
    ...{ latency_ms: 1, input_tokens: 1, output_tokens: 1, cost_microcents: 1 },
  }));
  await db.insertInto("facts").values(facts).execute();
}

async function listedCalls(db: ControlDb): Promise<number> {
  const { rows } = await sql<{ calls: number }>`
    SELECT sum(calls) AS calls FROM fact_lists WHERE dimension = ${listedDimensions.agent}`.execute(db);
  return Number(rows[0]?.calls);
}

const numbers = (engine: Engine, count: number) =>
  engine === "postgres"
    ? sql`generate_series(1, ${sql.lit(count)})`
    : sql`(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${sql.lit(count)})
        SELECT value FROM n)`;

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

  it("WEB-008 start over after a version without lists has rebuilt the read model", async () => {
    const database = await databases.open(engine);
    const { db } = database;
    const { reader } = await filledLedger(57);
    await followReadModel(database, reader, { listing }).catchUp();
    // That version left the lists of the lost ledger.
    await sql`UPDATE fact_lists SET offsets = '[1]'`.execute(db);
    expect(await verifyReadModel(database, reader)).not.toEqual([]);
    await db
      .insertInto("rebuilds")
      .values({
        readers: `profile:events ${EVENTS_CURSOR}`,
        common_seq: 20,
        common_event_id: null,
        lost_seq: 40,
        until_seq: 57,
        noticed_at: 0,
        finished_at: 0,
      })
      .execute();
    await followReadModel(database, reader, { listing }).catchUp();
    expect(await readSeq(db, LISTS_CURSOR)).toBe(50);
    expect(await verifyReadModel(database, reader)).toEqual([]);
    // Only once for each rebuild.
    await sql`UPDATE fact_lists SET offsets = '[1]'`.execute(db);
    await followReadModel(database, reader, { listing }).catchUp();
    expect(await verifyReadModel(database, reader)).not.toEqual([]);
  });

  it("skip segments without facts at once", async () => {
    const { db } = await databases.open(engine);
    expect(await listFacts(db, engine, 0, listing)).toMatchObject({ listedSeq: 0 });
    await addFacts(db, 1_000_001, 25);
    const derived = 1_000_025;
    expect(await listFacts(db, engine, derived, listing)).toMatchObject({
      listedSeq: 1_000_010,
      nextEndSeq: 1_000_020,
    });
    expect(await listFacts(db, engine, derived, listing)).toMatchObject({
      listedSeq: 1_000_020,
      nextEndSeq: 1_000_030,
    });
    expect(await listedCalls(db)).toBe(20);
  });

  it.each([
    ["organizations", 3000, 1],
    ["values", 1, 3000],
  ])("REL-022 are removed in bounded steps, however many %s there are", async (_, scopes, values) => {
    const { db } = await databases.open(engine);
    const named = engine === "postgres" ? sql`(value)` : sql``;
    const lists = (volume: number, scopes: number, values: number) => sql`
      INSERT INTO fact_lists
      SELECT ${sql.lit(volume)}, scope.value, dimension.value, one.value, 0, ${sql.lit(volume)}, 0, 0, 1, '[1]'
      FROM ${numbers(engine, scopes)} AS scope${named}, ${numbers(engine, 6)} AS dimension${named},
        ${numbers(engine, values)} AS one${named}`;
    await lists(0, scopes, values).execute(db);
    await lists(100, 1, 1).execute(db);
    for (const volume of [0, 100]) {
      await db.insertInto("fact_volumes").values({ scope: 1, volume, from_at: 0, to_at: 0 }).execute();
    }
    expect(await removeEmptyLists(db, 100)).toBe(false);
    const counts: number[] = [];
    do {
      const row = await db
        .selectFrom("fact_lists")
        .select(({ fn }) => fn.countAll<number>().as("lists"))
        .executeTakeFirst();
      counts.push(Number(row?.lists));
    } while (await removeEmptyLists(db, 101));
    expect(counts).toEqual([18_006, 13_006, 8_006, 3_006, 6]);
    const left = await db.selectFrom("fact_lists").select("volume").distinct().execute();
    expect(left).toEqual([{ volume: 100 }]);
    expect(await db.selectFrom("fact_volumes").select("volume").execute()).toEqual([{ volume: 100 }]);
  });

  it("begin where the read model is, if it has no facts of the events before", async () => {
    const { db } = await databases.open(engine);
    expect(await listFacts(db, engine, 1000, listing)).toEqual({
      listedSeq: 1000,
      derivedSeq: 1000,
      nextEndSeq: 1010,
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
