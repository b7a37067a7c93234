import { expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import { controlDatabases } from "../../../../../test/support/labs/control-databases.ts";
import { beforeStatements } from "../../../../../test/support/labs/event-recorder.ts";
import { openLedgers } from "../../../../../test/support/labs/open-ledgers.ts";
import { sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { readHistory } from "../../database/history.ts";
import { type ControlDatabase, openControlDatabase } from "../../database/open-control-database.ts";
import { readPartitions } from "../../database/partitions.ts";
import { factPartitions } from "./fact-partitions.ts";
import { followReadModel } from "./follow-read-model.ts";
import { retainHistory } from "./retain-history.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const databases = controlDatabases();
const openLedger = openLedgers();
const FIRST_DAY = Date.parse("2026-06-01T00:00:00Z");
const DAYS_KEPT = 32;

function lab(database: ControlDatabase, callsPerDay: number) {
  const { ledger, reader } = openLedger();
  const follower = followReadModel(database, reader);
  let day = 0;
  const settlement = (of: number, index: number) =>
    sampleSettlement(`day ${of}, call ${index}`, {
      created_at: FIRST_DAY + of * DAY_MS + Math.floor((index * DAY_MS) / callsPerDay),
      agent_key: `agent ${index % 7}`,
      session_id: `session ${of}`,
      customer_id: `customer ${index % 5}`,
      config_version: `v${index % 3}`,
    });
  return {
    ledger,
    reader,
    follower,
    /** Calls of the next days, up to this one. */
    async goTo(last: number) {
      for (; day <= last; day++) {
        await ledger.append(Array.from({ length: callsPerDay }, (_, index) => settlement(day, index)));
      }
      await follower.catchUp();
    },
    /** At the end of the last day. */
    retain: (through = database, onFutureCall?: () => void) =>
      retainHistory({
        database: through,
        ledger: reader,
        days: DAYS_KEPT,
        now: () => FIRST_DAY + day * DAY_MS - 1,
        readers: [follower],
        ...(onFutureCall && { onFutureCall }),
      }),
    /** The first day that is kept, and how many facts there are. */
    async kept() {
      const { beginsAtMs } = await readHistory(database.db);
      const { rows } = await sql<{ facts: number; first: number }>`
        SELECT count(*)::INT AS facts, min(created_at) AS first FROM facts`.execute(database.db);
      expect(rows[0]?.first).toBe(beginsAtMs);
      const first = (beginsAtMs - FIRST_DAY) / DAY_MS;
      return { first, facts: rows[0]?.facts, expected: (day - first) * callsPerDay };
    },
  };
}

const bytes = async ({ db }: ControlDatabase) => {
  const { rows } = await sql<{ bytes: number }>`
    SELECT CAST(sum(pg_total_relation_size(relid)) AS BIGINT) AS bytes FROM pg_partition_tree('facts')`.execute(
    db,
  );
  return Number(rows[0]?.bytes);
};

/** The days at which partitions end. */
const ends = async ({ db }: ControlDatabase) =>
  (await readPartitions(db, factPartitions)).ranges.map(({ to }) => (to - FIRST_DAY) / DAY_MS);

/** Of all days, with those whose facts are gone. */
const callsOf = async ({ db }: ControlDatabase) =>
  Number(
    (await sql<{ calls: number }>`SELECT sum(calls) AS calls FROM customer_days`.execute(db)).rows[0]?.calls,
  );

it("REL-022 retention gives the space of removed facts back to the file system, and every sum stays", async () => {
  const database = await databases.open("postgres");
  const { reader, goTo, retain, kept } = lab(database, 100);
  await goTo(59);
  // The first pass: what was there before becomes one partition.
  expect(await retain()).toBe(27 * 100);
  expect(await ends(database)).toEqual([61]);
  const before = await bytes(database);
  for (let day = 60; day < 92; day++) {
    await goTo(day);
    expect(await retain()).toBe(100);
    const { facts, expected } = await kept();
    expect(facts).toBe(expected);
  }
  expect(await ends(database)).toEqual([61, 65, 69, 73, 77, 81, 85, 89, 93]);
  const full = await bytes(database);
  for (const day of [92, 93, 94]) {
    await goTo(day);
    await retain();
  }
  expect(await ends(database)).toEqual([65, 69, 73, 77, 81, 85, 89, 93, 97]);
  const after = await bytes(database);
  expect(after).toBeLessThan(full - before / 2);
  expect(await kept()).toEqual({ first: 62, facts: 33 * 100, expected: 33 * 100 });
  expect(await verifyReadModel(database, reader)).toEqual([]);
  expect(await callsOf(database)).toBe(95 * 100);
});

it("whole partitions of old facts are dropped with their sums, and changed costs reach their partition", async () => {
  const database = await databases.open("postgres");
  const { reader, follower, goTo, retain, kept } = lab(database, 10);
  await goTo(3);
  await retain();
  // Retention removes nothing until day 36, and then as if it had not run for a while.
  for (let day = 4; day < 30; day++) {
    await goTo(day);
    await retain();
  }
  await goTo(58);
  expect(await ends(database)).toEqual([5, 9, 13, 17, 21, 25, 29, 33]);
  await database.db
    .insertInto("adjustments")
    .values({
      event_id: "day 28, call 3",
      org_id: "org",
      amount_microcents: 7,
      price_version: "v",
      card: "{}",
      created_at: 1,
    })
    .execute();
  await follower.catchUp();
  const { rows } =
    await sql`SELECT cost_microcents - (SELECT min(cost_microcents) FROM facts) AS added FROM facts
    WHERE seq = 284`.execute(database.db);
  expect(rows).toEqual([{ added: 7 }]);
  expect(await retain()).toBe(26 * 10);
  expect(await ends(database)).toEqual([29, 33, 60]);
  expect(await kept()).toMatchObject({ first: 26, facts: 33 * 10 });
  expect(await verifyReadModel(database, reader)).toEqual([]);
  expect(await callsOf(database)).toBe(59 * 10);
});

it("REL-005 a crash between any two statements of retention loses and doubles no sum", async () => {
  const database = await databases.open("postgres");
  const { reader, goTo, retain, kept } = lab(database, 10);
  await goTo(20);
  await retain();
  for (const day of [21, 24, 27, 30, 33, 36]) {
    await goTo(day);
    await retain();
  }
  await goTo(60);
  let attempts = 0;
  for (let isComplete = false; !isComplete; ) {
    const first = ++attempts;
    const dying = beforeStatements(database, statement => {
      if (statement >= first) throw new Error("killed");
    });
    isComplete = await retain(dying).then(
      () => true,
      () => false,
    );
    expect(await verifyReadModel(database, reader)).toEqual([]);
  }
  expect(attempts).toBeGreaterThan(20);
  expect(await kept()).toMatchObject({ first: 28, facts: 33 * 10 });
  expect(await callsOf(database)).toBe(61 * 10);
});

it("two control planes at once remove each fact once", async () => {
  const place = await databases.place("postgres");
  const [one, other] = [await openControlDatabase(place), await openControlDatabase(place)];
  const { reader, goTo, retain, kept } = lab(one, 10);
  await goTo(40);
  for (const day of [42, 46, 50, 90]) {
    await goTo(day);
    // One may find its partition dropped or closed by the other.
    await Promise.allSettled([retain(one), retain(other)]);
    expect(await verifyReadModel(one, reader)).toEqual([]);
  }
  await retain(one);
  expect(await kept()).toMatchObject({ first: 58, facts: 33 * 10 });
  expect(await callsOf(one)).toBe(91 * 10);
  await one.close();
  await other.close();
});

it("a query with a period reads only the partitions of that period", async () => {
  const database = await databases.open("postgres");
  const { goTo, retain } = lab(database, 10);
  for (let day = 10; day < 30; day += 2) {
    await goTo(day);
    await retain();
  }
  const { ranges } = await readPartitions(database.db, factPartitions);
  expect(ranges.length).toBeGreaterThan(4);
  const from = FIRST_DAY + 20 * DAY_MS;
  const { rows } = await sql<{ "QUERY PLAN": string }>`EXPLAIN SELECT agent, count(*) FROM facts
    WHERE scope = 1 AND created_at >= ${from} AND created_at < ${from + 3_600_000} GROUP BY agent`.execute(
    database.db,
  );
  const plan = rows.map(row => row["QUERY PLAN"]).join("\n");
  const read = ranges.filter(({ name }) => plan.includes(name));
  expect(read.map(({ from: least, to }) => (least ?? 0) <= from && from < to)).toEqual([true]);
  expect(plan).not.toContain(" on facts_rest");
});

it("a call from the future among older facts keeps them in one partition, and is reported", async () => {
  const database = await databases.open("postgres");
  const { ledger, reader, goTo, retain, kept } = lab(database, 10);
  await goTo(40);
  await ledger.append([sampleSettlement("ahead", { created_at: FIRST_DAY + 400 * DAY_MS })]);
  await goTo(41);
  let reported = 0;
  await retain(database, () => {
    reported++;
  });
  expect([reported, await ends(database)]).toEqual([1, []]);
  expect(await kept()).toMatchObject({ first: 9, facts: 33 * 10 + 1 });
  expect(await verifyReadModel(database, reader)).toEqual([]);
});

it("a call from the future that arrives later is beside the partitions, and they go on", async () => {
  const database = await databases.open("postgres");
  const { ledger, reader, follower, goTo, retain } = lab(database, 10);
  await goTo(10);
  await retain();
  await ledger.append([sampleSettlement("ahead", { created_at: FIRST_DAY + 400 * DAY_MS })]);
  await follower.catchUp();
  for (let day = 11; day < 20; day++) {
    await goTo(day);
    await retain(database, () => expect.unreachable());
  }
  expect(await ends(database)).toEqual([12, 16, 20, 24]);
  expect(await verifyReadModel(database, reader)).toEqual([]);
});
