import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import { controlDatabases } from "../../../../../test/support/labs/control-databases.ts";
import {
  BEGINS_AT,
  DAYS,
  differencesIn,
  FIRST_DAY,
  followersOf,
  NOW,
  PER_DAY,
  removeEvents,
  retainedCall,
  startRetentionLab,
  sumsOf,
} from "../../../../../test/support/labs/retention-lab.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { organizationRow } from "../../../../../test/support/rows/organization-row.ts";
import { sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { readHistory } from "../../database/history.ts";
import { bucketOf } from "../../database/latency-histogram.ts";
import type { ControlDatabase, Engine } from "../../database/open-control-database.ts";
import { extendPartitions } from "../../database/partitions.ts";
import { LedgerContinuity } from "../../following/ledger-continuity.ts";
import { movePosition } from "../../following/stored-position.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { LEDGER_START } from "../../ledger/ledger-position.ts";
import { LedgerReader } from "../../ledger/ledger-reader.ts";
import { verifyLedger } from "../../ledger/verify-ledger.ts";
import { profileRepair } from "../../profile/profile-repair.ts";
import { createReadModel } from "../control-read-model.ts";
import { factPartitions } from "./fact-partitions.ts";
import { followReadModel } from "./follow-read-model.ts";
import { readModelRepair } from "./read-model-repair.ts";
import { retainHistory } from "./retain-history.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
let made = 0;

/** Divided: facts of eleven days are in each partition, and the history begins within one. */
const places = [
  ["sqlite", "undivided"],
  ["postgres", "undivided"],
  ["postgres", "divided"],
] as const satisfies readonly (readonly [Engine, string])[];

async function open([engine, facts]: (typeof places)[number]): Promise<ControlDatabase> {
  const database = await databases.open(engine);
  if (facts === "divided") {
    for (let day = 11; day < DAYS + 11; day += 11) {
      const until = FIRST_DAY + day * DAY_MS;
      await extendPartitions(database.db, factPartitions, { until, width: 11 * DAY_MS });
    }
  }
  return database;
}

async function openLab(database: ControlDatabase) {
  const path = inFolder(`ledger-${++made}.db`);
  return { path, ...(await startRetentionLab(database, path)) };
}

async function count(database: ControlDatabase, where: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM facts WHERE ${where}`.execute(
    database.db,
  );
  return Number(rows[0]?.n);
}

describe.each(places)("retention on %s, %s", (...place) => {
  it("REL-022 removes old facts and events, keeps every rollup, and can still be verified", async () => {
    const database = await open(place);
    const { ledger, reader, retain } = await openLab(database);
    const before = { sums: await sumsOf(database), ledger: verifyLedger(reader) };
    expect(await differencesIn(database, reader)).toEqual([]);

    const facts = await retain();
    const old = (DAYS - 32) * PER_DAY;
    expect(facts).toBe(old + 1);
    expect(await count(database, sql`created_at < ${BEGINS_AT}`)).toBe(0);
    // The volume in which history begins also lists calls from before; there is none before it.
    const { rows: volumes } = await sql<{ volume: number }>`
      SELECT DISTINCT volume FROM fact_lists UNION SELECT volume FROM fact_volumes ORDER BY 1`.execute(
      database.db,
    );
    const [first = 0, second = 0] = volumes.map(({ volume }) => Number(volume));
    expect([first < old, second >= old, volumes.length > 3]).toEqual([true, true, true]);
    expect(await differencesIn(database, reader)).toEqual([]);
    expect(await removeEvents(database, ledger)).toBe(old);

    expect(await sumsOf(database)).toEqual(before.sums);
    expect(await differencesIn(database, reader)).toEqual([]);
    const after = verifyLedger(reader);
    expect(after.history_begins_at_ms).toBe(BEGINS_AT);
    expect(after.events + after.removed_events).toBe(before.ledger.events);
    expect(after.cost_microcents).toBe(before.ledger.cost_microcents);
    // Reported by a client long after it happened: not among the oldest events of the ledger, and still known by its id.
    expect(ledger.find.has("late")).toBe(true);
    await retain();
    expect(await differencesIn(database, reader)).toEqual([]);

    await sql`UPDATE rollup_days SET cost_microcents = cost_microcents + 1 WHERE day = ${FIRST_DAY}`.execute(
      database.db,
    );
    expect(await differencesIn(database, reader)).toContainEqual(
      expect.stringMatching(/^rollup_days: scope/),
    );
    ledger.close();
  });

  it("REL-022 percentiles include the calls that were removed", async () => {
    const database = await open(place);
    const { ledger, reader, retain } = await openLab(database);
    const readModel = createReadModel(database, reader);
    const slowestMs = async () =>
      (await readModel.usage({ orgId: "org", mode: "live" }, { from: FIRST_DAY, to: NOW })).latency.p95_ms ??
      0;
    expect(await slowestMs()).toBe(5000);
    await retain();
    // Exact to a bucket, because the calls themselves are gone.
    expect(bucketOf(await slowestMs())).toBe(bucketOf(5000));
    ledger.close();
  });

  it("REL-022 REL-014 a rebuild after retention counts nothing twice and loses no sum", async () => {
    const database = await open(place);
    const { path, ledger, reader, retain } = await openLab(database);
    await retain();
    await removeEvents(database, ledger);
    const kept = await sumsOf(database);

    // The ledger is restored from a copy, and has other events since.
    const older = `${path}-older`;
    new Database(path).query("VACUUM INTO ?").run(older);
    await ledger.append([retainedCall(DAYS * PER_DAY)]);
    const followers = followersOf(database, reader);
    for (const follower of followers) await follower.catchUp();
    const restored = new Ledger(older, "normal");
    const other = new LedgerReader(older);
    const continuity = new LedgerContinuity({
      database,
      ledger: other,
      repairs: [readModelRepair, profileRepair],
      now: () => NOW,
      log: () => {},
    });
    expect(await continuity.reconcile()).toBe(true);
    // Not while it is being rebuilt.
    await retain(NOW + 5 * DAY_MS, []);
    expect((await readHistory(database.db)).beginsAtMs).toBe(BEGINS_AT);
    for (const follower of followersOf(database, other)) await follower.catchUp();
    expect(await differencesIn(database, other)).toEqual([]);
    expect(await sumsOf(database)).toEqual(kept);

    await restored.append([sampleSettlement("late again", { created_at: FIRST_DAY + 2 * DAY_MS })]);
    for (const follower of followersOf(database, other)) await follower.catchUp();
    expect(await differencesIn(database, other)).toEqual([]);
    expect(await sumsOf(database)).not.toEqual(kept);
    restored.close();
    ledger.close();
  });

  it("REL-022 nothing is removed before every reader has passed it, nor while something open needs it", async () => {
    const database = await open(place);
    const { db } = database;
    const { ledger, reader, retain } = await openLab(database);
    const history = async () => readHistory(db);

    // An adjustment that the read model does not include yet.
    const adjustment = {
      event_id: "event 1",
      org_id: "org",
      amount_microcents: 5,
      price_version: "v",
      card: "{}",
    };
    await db
      .insertInto("adjustments")
      .values({ ...adjustment, created_at: 1 })
      .execute();
    expect(await retain()).toBe(0);
    expect((await history()).beginsAtMs).toBe(0);
    await followReadModel(database, reader).catchUp();

    // An experiment that has run since before.
    const org = organizationRow({ id: `org-${made}`, name: "org", tier: "enterprise", created_at: 1 });
    await db.insertInto("organizations").values(org).execute();
    await db
      .insertInto("experiments")
      .values({
        id: `experiment-${made}`,
        org_id: org.id,
        mode: "live",
        agent_id: "a",
        agent_key: "a",
        name: "long",
        control_model: null,
        treatment_model: "gpt-4o",
        traffic_pct: 10,
        primary_metric: "cost_per_call",
        max_duration_days: 90,
        auto_promote: 0,
        status: "running",
        created_at: FIRST_DAY,
        ends_at: NOW,
        ended_at: null,
        end_reason: null,
        winner: null,
        results: null,
        updated_at: FIRST_DAY,
      })
      .execute();
    expect(await retain()).toBe(0);
    await db.updateTable("experiments").set({ status: "completed", ended_at: NOW }).execute();

    // A clock that is far ahead, or set back.
    await retain(NOW + 3650 * DAY_MS, [{ reader: "behind", store: async () => {} }]);
    expect(await history()).toMatchObject({ beginsAtMs: BEGINS_AT, beginning: null });
    await retain(NOW - 20 * DAY_MS, [{ reader: "behind", store: async () => {} }]);
    expect((await history()).beginsAtMs).toBe(BEGINS_AT);

    // A reader in the middle of the old events.
    const at = reader.positionAt(7) ?? LEDGER_START;
    await db
      .insertInto("cursors")
      .values({ reader: "behind", node: "local", position: at.seq, event_id: at.eventId })
      .execute();
    await retain(NOW, [{ reader: "behind", store: async () => {} }]);
    expect((await history()).beginning?.seq).toBe(7);
    expect(await removeEvents(database, ledger)).toBe(6);
    await movePosition(db, "behind", reader.newestPosition());
    await retain(NOW, [{ reader: "behind", store: async () => {} }]);
    expect((await history()).beginning?.eventId).toBe(`event ${(DAYS - 32) * PER_DAY}`);
    const described = await db
      .selectFrom("adjustments")
      .select(["removed_mode", "removed_unpriced"])
      .execute();
    expect(described).toEqual([{ removed_mode: "live", removed_unpriced: 0 }]);
    expect(await differencesIn(database, reader)).toEqual([]);
    ledger.close();
  });

  it("REL-022 a pass that ends in the middle leaves everything consistent, and the next one continues", async () => {
    const database = await open(place);
    const { ledger, reader, followers } = await openLab(database);
    const stopping = new AbortController();
    const parts = { database, ledger: reader, days: 31, now: () => NOW, readers: followers };
    stopping.abort();
    expect(await retainHistory(parts, stopping.signal)).toBe(0);
    expect((await readHistory(database.db)).beginsAtMs).toBe(BEGINS_AT);
    expect(await differencesIn(database, reader)).toEqual([]);
    await retainHistory(parts);
    const { beginning } = await readHistory(database.db);
    if (beginning === null) throw new Error("nothing may be removed");
    await ledger.removeOldest({ ...beginning, atMs: BEGINS_AT }, 10);
    expect(await differencesIn(database, reader)).toEqual([]);
    // Never beyond it, and not from another ledger.
    expect(
      await ledger.removeOldest({ seq: 400, eventId: "of another ledger", atMs: NOW }, 10),
    ).toMatchObject({
      events: 0,
    });
    expect(() =>
      new Database(inFolder(`ledger-${made}.db`)).run("DELETE FROM events WHERE seq > 300"),
    ).toThrow("append-only");
    ledger.close();
  });
});
