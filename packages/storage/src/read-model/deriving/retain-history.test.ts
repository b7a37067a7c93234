import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import { controlDatabases } from "../../../../../test/support/labs/control-databases.ts";
import { organizationRow } from "../../../../../test/support/labs/organization-row.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { sampleSettlement } from "../../../../../test/support/sample-event.ts";
import { readHistory } from "../../database/history.ts";
import { bucketOf } from "../../database/latency-histogram.ts";
import {
  type ControlDatabase,
  type Engine,
  openControlDatabase,
} from "../../database/open-control-database.ts";
import { extendPartitions } from "../../database/partitions.ts";
import { LedgerContinuity } from "../../following/ledger-continuity.ts";
import { movePosition } from "../../following/stored-position.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { LEDGER_START } from "../../ledger/ledger-position.ts";
import { LedgerReader } from "../../ledger/ledger-reader.ts";
import { verifyLedger } from "../../ledger/verify-ledger.ts";
import { followProfile } from "../../profile/follow-profile.ts";
import { profileRepair } from "../../profile/profile-repair.ts";
import { verifyProfile } from "../../profile/verify-profile.ts";
import { createReadModel } from "../control-read-model.ts";
import { factPartitions } from "./fact-partitions.ts";
import { followReadModel } from "./follow-read-model.ts";
import { readModelRepair } from "./read-model-repair.ts";
import { retainHistory } from "./retain-history.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const FIRST_DAY = Date.parse("2026-09-01T00:00:00Z");
const DAYS = 60;
const PER_DAY = 12;
const SLOW_CALLS = 20 * PER_DAY;
const NOW = FIRST_DAY + DAYS * DAY_MS;
/** 31 days before the newest event, at the start of its day. */
const BEGINS_AT = FIRST_DAY + (DAYS - 1 - 31) * DAY_MS;
let made = 0;

const rollups = [
  "rollup_hours",
  "rollup_days",
  "customer_days",
  "customer_weeks",
  "subject_hours",
  "subject_days",
  "agent_version_days",
  "profile_days",
] as const;

const call = (index: number) =>
  sampleSettlement(`event ${index}`, {
    created_at: FIRST_DAY + Math.floor((index * DAY_MS) / PER_DAY),
    agent_key: `agent ${index % 3}`,
    session_id: `session ${Math.floor(index / 50)}`,
    customer_id: index % 2 === 0 ? `customer ${index % 5}` : null,
    config_version: `v${index % 4}`,
    key_id: `key ${index % 3}`,
    latency_ms: index < SLOW_CALLS ? 5000 : 100,
  });

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

/** A ledger of sixty days. Near its end, a client reports a call of the second day. */
async function lab(database: ControlDatabase) {
  const path = inFolder(`ledger-${++made}.db`);
  const ledger = new Ledger(path, "normal");
  const calls = Array.from({ length: DAYS * PER_DAY }, (_, index) => call(index));
  const late = sampleSettlement("late", {
    created_at: FIRST_DAY + DAY_MS,
    source: "ingest",
    external_id: "x",
  });
  await ledger.append([...calls.slice(0, -20), late, ...calls.slice(-20)]);
  const reader = new LedgerReader(path);
  const followers = followersOf(database, reader);
  for (const follower of followers) await follower.catchUp();
  const retain = (now = NOW, readers: Parameters<typeof retainHistory>[0]["readers"] = followers) =>
    retainHistory({ database, ledger: reader, days: 31, now: () => now, readers });
  return { path, ledger, reader, followers, retain };
}

function followersOf(database: ControlDatabase, reader: LedgerReader) {
  return [
    followReadModel(database, reader),
    followProfile(database, reader, { contextWindowOf: () => 128_000 }),
  ];
}

async function sums(database: ControlDatabase): Promise<unknown> {
  const found: Record<string, string[]> = {};
  for (const table of [...rollups, "sessions", "customers", "config_versions", "used_keys"] as const) {
    const { rows } = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(table)}`.execute(
      database.db,
    );
    // Rows of a rebuild get new ids.
    const kept = rows.map(({ id: _id, ...row }) => JSON.stringify(row));
    found[table] = kept.sort();
  }
  return found;
}

async function count(database: ControlDatabase, where: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM facts WHERE ${where}`.execute(
    database.db,
  );
  return Number(rows[0]?.n);
}

/** What the gateway does, until nothing is left. */
async function removeEvents(database: ControlDatabase, ledger: Ledger): Promise<number> {
  const { beginning, beginsAtMs } = await readHistory(database.db);
  if (beginning === null) return 0;
  for (let removed = 0; ; ) {
    const { events, isMore } = await ledger.removeOldest({ ...beginning, atMs: beginsAtMs }, 50);
    removed += events;
    if (!isMore) return removed;
  }
}

async function differences(database: ControlDatabase, reader: LedgerReader): Promise<readonly string[]> {
  return [
    ...verifyLedger(reader).differences,
    ...(await verifyReadModel(database, reader)),
    ...(await verifyProfile(database)),
  ];
}

describe.each(places)("retention on %s, %s", (...place) => {
  it("REL-022 removes old facts and events, keeps every rollup, and can still be verified", async () => {
    const database = await open(place);
    const { ledger, reader, retain } = await lab(database);
    const before = { sums: await sums(database), ledger: verifyLedger(reader) };
    expect(await differences(database, reader)).toEqual([]);

    const facts = await retain();
    const old = (DAYS - 32) * PER_DAY;
    expect(facts).toBe(old + 1);
    expect(await count(database, sql`created_at < ${BEGINS_AT}`)).toBe(0);
    expect(await differences(database, reader)).toEqual([]);
    expect(await removeEvents(database, ledger)).toBe(old);

    expect(await sums(database)).toEqual(before.sums);
    expect(await differences(database, reader)).toEqual([]);
    const after = verifyLedger(reader);
    expect(after.history_begins_at_ms).toBe(BEGINS_AT);
    expect(after.events + after.removed_events).toBe(before.ledger.events);
    expect(after.cost_microcents).toBe(before.ledger.cost_microcents);
    // Reported by a client long after it happened: not among the oldest events of the ledger, and still known by its id.
    expect(ledger.find.has("late")).toBe(true);
    await retain();
    expect(await differences(database, reader)).toEqual([]);

    await sql`UPDATE rollup_days SET cost_microcents = cost_microcents + 1 WHERE day = ${FIRST_DAY}`.execute(
      database.db,
    );
    expect(await differences(database, reader)).toContainEqual(expect.stringMatching(/^rollup_days: scope/));
    ledger.close();
  });

  it("REL-022 percentiles include the calls that were removed", async () => {
    const database = await open(place);
    const { ledger, reader, retain } = await lab(database);
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
    const { path, ledger, reader, retain } = await lab(database);
    await retain();
    await removeEvents(database, ledger);
    const kept = await sums(database);

    // The ledger is restored from a copy, and has other events since.
    const older = `${path}-older`;
    new Database(path).query("VACUUM INTO ?").run(older);
    await ledger.append([call(DAYS * PER_DAY)]);
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
    expect(await differences(database, other)).toEqual([]);
    expect(await sums(database)).toEqual(kept);

    await restored.append([sampleSettlement("late again", { created_at: FIRST_DAY + 2 * DAY_MS })]);
    for (const follower of followersOf(database, other)) await follower.catchUp();
    expect(await differences(database, other)).toEqual([]);
    expect(await sums(database)).not.toEqual(kept);
    restored.close();
    ledger.close();
  });

  it("REL-022 nothing is removed before every reader has passed it, nor while something open needs it", async () => {
    const database = await open(place);
    const { db } = database;
    const { ledger, reader, retain } = await lab(database);
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
    expect(await differences(database, reader)).toEqual([]);
    ledger.close();
  });

  it("REL-022 a pass that ends in the middle leaves everything consistent, and the next one continues", async () => {
    const database = await open(place);
    const { ledger, reader, followers } = await lab(database);
    const stopping = new AbortController();
    const parts = { database, ledger: reader, days: 31, now: () => NOW, readers: followers };
    stopping.abort();
    expect(await retainHistory(parts, stopping.signal)).toBe(0);
    expect((await readHistory(database.db)).beginsAtMs).toBe(BEGINS_AT);
    expect(await differences(database, reader)).toEqual([]);
    await retainHistory(parts);
    const { beginning } = await readHistory(database.db);
    if (beginning === null) throw new Error("nothing may be removed");
    await ledger.removeOldest({ ...beginning, atMs: BEGINS_AT }, 10);
    expect(await differences(database, reader)).toEqual([]);
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

it("REL-022 the files become smaller", async () => {
  const path = inFolder("shrinking-control.db");
  const database = await openControlDatabase({ kind: "sqlite", path });
  const ledgerPath = inFolder("shrinking-ledger.db");
  const ledger = new Ledger(ledgerPath, "normal");
  new Database(path).query("PRAGMA wal_checkpoint(TRUNCATE)").get();
  const emptyBytes = statSync(path).size;
  const calls = Array.from({ length: 6000 }, (_, index) =>
    sampleSettlement(`event ${index}`, { created_at: index < 5500 ? FIRST_DAY : NOW - DAY_MS }),
  );
  await ledger.append(calls);
  const reader = new LedgerReader(ledgerPath);
  const followers = followersOf(database, reader);
  for (const follower of followers) await follower.catchUp();
  const sizes = () => {
    new Database(path).query("PRAGMA wal_checkpoint(TRUNCATE)").get();
    new Database(ledgerPath).query("PRAGMA wal_checkpoint(TRUNCATE)").get();
    return { control: statSync(path).size, ledger: statSync(ledgerPath).size };
  };
  const before = sizes();
  expect(
    await retainHistory({ database, ledger: reader, days: 31, now: () => NOW, readers: followers }),
  ).toBe(5500);
  expect(await removeEvents(database, ledger)).toBe(5500);
  const after = sizes();
  expect(after.ledger).toBeLessThan(before.ledger / 5);
  expect(after.control - emptyBytes).toBeLessThan((before.control - emptyBytes) / 5);
  expect(await differences(database, reader)).toEqual([]);
  ledger.close();
  await database.close();
});

it("REL-022 REL-005 killed at any moment, retention loses and doubles no sum", async () => {
  const path = inFolder("killed-control.db");
  const database = await openControlDatabase({ kind: "sqlite", path });
  const { path: ledgerPath, ledger, reader } = await lab(database);
  ledger.close();
  const before = { sums: await sums(database), ledger: verifyLedger(reader) };
  const child = join(import.meta.dir, "../../../../../test/support/programs/retain-history.ts");
  const moments = [
    async () => (await readHistory(database.db)).beginsAtMs > 0,
    async () => (await readHistory(database.db)).beginning !== null,
    async () => reader.oldestSeq() > 100,
  ];
  let kills = 0;
  for (const isReached of moments) {
    const retaining = Bun.spawn([process.execPath, child, ledgerPath, path, String(NOW)], {
      stderr: "inherit",
    });
    while (retaining.exitCode === null && !(await isReached())) await Bun.sleep(1);
    retaining.kill("SIGKILL");
    await retaining.exited;
    if (retaining.signalCode === "SIGKILL") kills++;
    expect(await differences(database, reader)).toEqual([]);
    expect(await sums(database)).toEqual(before.sums);
    const { cost_microcents, events, removed_events } = verifyLedger(reader);
    expect({ cost_microcents, events: events + removed_events }).toEqual({
      cost_microcents: before.ledger.cost_microcents,
      events: before.ledger.events,
    });
  }
  expect(kills).toBeGreaterThan(0);
  await database.close();
});
