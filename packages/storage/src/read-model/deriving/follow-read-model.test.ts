import { describe, expect, it } from "bun:test";
import { rmSync } from "node:fs";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { filledLedgers } from "../../../../../test/support/labs/filled-ledgers.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { eventually } from "../../../../../test/support/waiting/eventually.ts";
import { type Engine, openControlDatabase } from "../../database/open-control-database.ts";
import { movePosition } from "../../following/stored-position.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { LEDGER_START } from "../../ledger/ledger-position.ts";
import { LedgerReader } from "../../ledger/ledger-reader.ts";
import { createReadModel } from "../control-read-model.ts";
import { followReadModel } from "./follow-read-model.ts";
import { EVENTS_CURSOR, readModelRepair } from "./read-model-repair.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const filledLedger = filledLedgers();
const scope = { orgId: "org", mode: "live" } as const;
const always = { from: 0, to: SAMPLE_DAY * 2 };
let made = 0;

/** Makes the next write of a customer's day fail in the middle of a batch. */
async function breakDatabase(
  database: Awaited<ReturnType<typeof openControlDatabase>>,
): Promise<() => Promise<void>> {
  const { db, engine } = database;
  if (engine === "sqlite") {
    await sql`CREATE TRIGGER broken BEFORE INSERT ON customer_days BEGIN SELECT RAISE(ABORT, 'broken'); END`.execute(
      db,
    );
    return async () => {
      await sql`DROP TRIGGER broken`.execute(db);
    };
  }
  await sql`ALTER TABLE customer_days ADD CONSTRAINT broken CHECK (calls < 0) NOT VALID`.execute(db);
  return async () => {
    await sql`ALTER TABLE customer_days DROP CONSTRAINT broken`.execute(db);
  };
}

describe.each(engines)("following the ledger into %s", (engine: Engine) => {
  it("stops after the current batch on its signal, and resumes from there", async () => {
    const database = await databases.open(engine);
    const { reader } = await filledLedger(100);
    const follower = followReadModel(database, reader, { batchSize: 30 });
    const stop = new AbortController();
    const catchingUp = follower.catchUp(stop.signal);
    stop.abort();
    const done = await catchingUp;
    expect(done).toBeLessThanOrEqual(30);
    expect(await follower.catchUp()).toBe(100 - done);
  });

  it("REL-007 rolls back a batch that failed halfway, and derives it once when writes succeed again", async () => {
    const database = await databases.open(engine);
    const { reader } = await filledLedger(100);
    const follower = followReadModel(database, reader, { batchSize: 30 });
    const mend = await breakDatabase(database);
    const message = await follower.catchUp().then(
      () => "no fault",
      (fault: Error) => fault.message,
    );
    expect(message).toContain("broken");
    for (const table of ["facts", "sessions", "customers", "rollup_days", "scopes"] as const) {
      expect(await database.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
    await mend();
    expect(await follower.catchUp()).toBe(100);
    expect(await follower.catchUp()).toBe(0);
    expect(await verifyReadModel(database, reader)).toEqual([]);
    expect((await createReadModel(database, reader).usage(scope, always)).totals.calls).toBe(100);
  });

  it("REL-014 gives agents their new ids after another process has reset the read model", async () => {
    const database = await databases.open(engine);
    const path = inFolder(`replaced-${++made}.db`);
    const write = async (agentId: string, eventId: string) => {
      const ledger = new Ledger(path, "normal");
      const agent = { org_id: "org", mode: "live", agent_key: "bot", id: agentId, first_seen_at: 1 } as const;
      await ledger.append([sampleSettlement(eventId, { agent_key: "bot" })], [agent]);
      ledger.close();
    };
    await write("00000000-0000-4000-8000-000000000001", "before");
    const reader = new LedgerReader(path);
    const follower = followReadModel(database, reader);
    await follower.catchUp();
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-intents`]) rmSync(file, { force: true });
    await write("00000000-0000-4000-8000-000000000002", "after");
    reader.reopen();
    await database.db.transaction().execute(async transaction => {
      const start = await readModelRepair.restart(transaction, engine, LEDGER_START);
      await movePosition(transaction, EVENTS_CURSOR, start);
    });
    expect(await follower.catchUp()).toBe(1);
    expect(await verifyReadModel(database, reader)).toEqual([]);
  });

  it("shares the work between two concurrent followers: nothing is derived twice", async () => {
    const place = await databases.place(engine);
    const { reader } = await filledLedger(400);
    const both = await Promise.all([openControlDatabase(place), openControlDatabase(place)]);
    const [one, other] = both;
    if (engine === "postgres") {
      const followers = both.map(database => followReadModel(database, reader, { batchSize: 20 }));
      const counts = await Promise.all(followers.map(follower => follower.catchUp()));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(400);
    } else {
      // Sequentially: in one thread, two concurrent writers of a SQLite file would block each other forever.
      expect(await followReadModel(one, reader).catchUp()).toBe(400);
      expect(await followReadModel(other, reader).catchUp()).toBe(0);
    }
    expect(await verifyReadModel(one, reader)).toEqual([]);
    for (const database of both) await database.close();
  });

  it("processes events that arrive while it runs, and survives a database fault", async () => {
    const database = await databases.open(engine);
    const { ledger, reader } = await filledLedger(3);
    const faults: unknown[] = [];
    const follower = followReadModel(database, reader, { onFault: fault => faults.push(fault) });
    const model = createReadModel(database, reader);
    const stop = new AbortController();
    const running = follower.run(stop.signal);
    await eventually("every event was processed", async () => (await model.lag()) === 0);
    const mend = await breakDatabase(database);
    await ledger.append([sampleSettlement("later", { customer_id: "customer" })]);
    await eventually("a fault was reported", () => faults.length > 0);
    await mend();
    await eventually("every event was processed", async () => (await model.lag()) === 0);
    await database.db
      .insertInto("adjustments")
      .values({
        event_id: "later",
        org_id: "org",
        amount_microcents: 77,
        price_version: "v",
        card: "{}",
        created_at: 1,
      })
      .execute();
    const cost = async () => (await model.customer(scope, "customer"))?.cost_microcents;
    const before = (await model.event(scope, "later"))?.event.cost_microcents ?? 0;
    await eventually("the adjustment was added", async () => (await cost()) === before + 77);
    stop.abort();
    await running;
    expect(await verifyReadModel(database, reader)).toEqual([]);
  });
});

describe("following the ledger into PostgreSQL", () => {
  it("REL-007 continues by itself after every connection was cut", async () => {
    const database = await databases.open("postgres");
    const { ledger, reader } = await filledLedger(50);
    const model = createReadModel(database, reader);
    const stop = new AbortController();
    const running = followReadModel(database, reader).run(stop.signal);
    await eventually("every event was processed", async () => (await model.lag()) === 0);
    const others = sql`SELECT pg_terminate_backend(pid, 540000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await others.execute(database.db);
    await ledger.append([sampleSettlement("after the cut")]);
    await eventually("the later event was processed", async () => (await model.lag().catch(() => 1)) === 0);
    stop.abort();
    await running;
    expect(await verifyReadModel(database, reader)).toEqual([]);
    expect((await model.event(scope, "after the cut"))?.event.id).toBe("after the cut");
  });
});
