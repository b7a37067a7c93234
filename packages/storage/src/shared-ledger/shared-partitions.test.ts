import { expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { sql } from "kysely";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { openLedgers } from "../../../../test/support/labs/open-ledgers.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { readPartitions } from "../database/partitions.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { verifyLedger } from "../ledger/verify-ledger.ts";
import { appendShared } from "./append-shared.ts";
import { compareCopy, compareShipped } from "./compare-with-shared.ts";
import { LedgerCopy } from "./ledger-copy.ts";
import { removeSharedEvents } from "./shared-history.ts";
import { keepSharedPartitions, sharedEventPartitions } from "./shared-partitions.ts";
import { shipLedger } from "./ship-ledger.ts";

const databases = controlDatabases();
const openLedger = openLedgers();
const SMALLEST = 100;

function openNode(database: ControlDatabase, id: string) {
  const { ledger, reader } = openLedger();
  return {
    id,
    reader,
    ship: () => shipLedger(database, reader, id).catchUp(),
    append: (from: number, to: number) =>
      ledger.append(
        Array.from({ length: to - from + 1 }, (_, index) =>
          sampleSettlement(`event ${from + index}`, { created_at: SAMPLE_DAY + from + index }),
        ),
      ),
  };
}

const state = async ({ db }: ControlDatabase) => {
  const { rows } = await sql<{ first: number; last: number; bytes: number }>`
    SELECT min(position) AS first, max(position) AS last, (SELECT CAST(sum(pg_total_relation_size(relid)) AS BIGINT)
      FROM pg_partition_tree('shared_events')) AS bytes FROM shared_events`.execute(db);
  const { ranges } = await readPartitions(db, sharedEventPartitions);
  return { ...rows[0], bytes: Number(rows[0]?.bytes), ends: ranges.map(({ to }) => to) };
};

it("REL-022 retention gives the space of removed events back to the file system, and everything still adds up", async () => {
  const database = await databases.open("postgres");
  const { db } = database;
  const node = openNode(database, "node");
  const pass = () => keepSharedPartitions(db, SMALLEST);
  // An installation from before there were partitions.
  await node.append(1, 1000);
  await node.ship();
  await pass();
  expect(await state(database)).toMatchObject({ first: 1, last: 1000, ends: [1125] });
  for (let last = 1000; last < 2000; last += 100) {
    await node.append(last + 1, last + 100);
    await node.ship();
    await pass();
  }
  const before = await state(database);
  expect(before).toMatchObject({
    first: 1,
    last: 2000,
    ends: [1125, 1263, 1413, 1576, 1764, 1964, 2189, 2439],
  });

  await db
    .updateTable("history")
    .set({ begins_at: SAMPLE_DAY + 1801, begins_seq: 1801, begins_event_id: "event 1801" })
    .execute();
  expect(await removeSharedEvents(db)).toBe(1800);
  await pass();
  const after = await state(database);
  expect(after).toMatchObject({ first: 1801, last: 2000, ends: [1964, 2189, 2439] });
  expect(after.bytes).toBeLessThan(before.bytes / 2);

  const { ledger, reader } = openLedger();
  const copy = await LedgerCopy.open(database, ledger, LEDGER_START);
  await copy.refresh();
  expect(verifyLedger(reader, () => {}, [])).toMatchObject({
    events: 200,
    removed_events: 1800,
    differences: [],
  });
  expect((await compareCopy(db, reader)).differences).toEqual([]);
  expect((await compareShipped(db, node.reader, "node"))?.differences).toEqual([]);
});

it("an event that is in another partition is not appended again", async () => {
  const database = await databases.open("postgres");
  const node = openNode(database, "node");
  await node.append(1, 150);
  await node.ship();
  await keepSharedPartitions(database.db, SMALLEST);
  await node.append(151, 300);
  await node.ship();
  await keepSharedPartitions(database.db, SMALLEST);
  const restored = openNode(database, "restored");
  await restored.append(1, 310);
  await restored.ship();
  const { last, ends } = await state(database);
  expect(last).toBe(310);
  expect(ends.length).toBeGreaterThan(1);
  const { rows } = await sql`SELECT id FROM shared_events GROUP BY id HAVING count(*) > 1`.execute(
    database.db,
  );
  expect(rows).toEqual([]);
});

it("an event is recognized wherever it is, though only the newest ones are searched for new calls", async () => {
  const { db } = await databases.open("postgres");
  const NEWEST = 50;
  const id = (index: number) => `call ${String(index).padStart(4, "0")}`;
  const append = (names: readonly string[], change: Partial<Event> = {}) => {
    const batch = names.map((name, index) => ({
      seq: index + 1,
      event: sampleSettlement(name, change).event,
    }));
    return db.transaction().execute(transaction => appendShared(transaction, "node", batch, NEWEST));
  };
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => id(from + index));
  for (let from = 0; from < 300; from += 30) await append(ids(from, from + 30));
  await append(["reported"], { source: "ingest" });
  await append(ids(300, 400));
  await keepSharedPartitions(db, 100);
  const ends: number[] = [];
  for (const [from, to] of [
    [0, 30],
    [290, 310],
    [340, 400],
    [0, 400],
    [399, 401],
    [401, 420],
  ] as const)
    ends.push((await append(ids(from, to))) - 401);
  expect(ends).toEqual([0, 0, 0, 0, 1, 20]);
  expect((await append(["reported", "reported later"], { source: "ingest" })) - 401).toBe(21);
  // Another organization's is another event.
  expect((await append([id(5)], { org_id: "another" })) - 401).toBe(22);
});

it("events are appended without a control plane that makes partitions, and the next one continues", async () => {
  const database = await databases.open("postgres");
  const node = openNode(database, "node");
  await node.append(1, 100);
  await node.ship();
  await keepSharedPartitions(database.db, SMALLEST);
  await node.append(101, 1000);
  await node.ship();
  expect(await state(database)).toMatchObject({ first: 1, last: 1000, ends: [200] });
  const { rest } = await readPartitions(database.db, sharedEventPartitions);
  const inRest = async () =>
    (await sql<{ n: number }>`SELECT count(*)::INT AS n FROM ${sql.table(rest)}`.execute(database.db)).rows;
  expect(await inRest()).toEqual([{ n: 801 }]);
  await keepSharedPartitions(database.db, SMALLEST);
  expect(await inRest()).toEqual([{ n: 0 }]);
  expect(await state(database)).toMatchObject({ first: 1, last: 1000, ends: [200, 1125] });
});
