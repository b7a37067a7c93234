import { DAY_MS } from "@tollgate/core/time/durations";
import { readHistory } from "@tollgate/storage/database/history";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { followProfile } from "@tollgate/storage/profile/follow-profile";
import { verifyProfile } from "@tollgate/storage/profile/verify-profile";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { retainHistory } from "@tollgate/storage/read-model/deriving/retain-history";
import { verifyReadModel } from "@tollgate/storage/read-model/deriving/verify-read-model";
import { sql } from "kysely";
import { sampleSettlement } from "../rows/sample-event.ts";

export const FIRST_DAY = Date.parse("2026-09-01T00:00:00Z");
export const DAYS = 60;
export const PER_DAY = 12;
const SLOW_CALLS = 20 * PER_DAY;
export const NOW = FIRST_DAY + DAYS * DAY_MS;
/** 31 days before the newest event, at the start of its day. */
export const BEGINS_AT = FIRST_DAY + (DAYS - 1 - 31) * DAY_MS;

const rollups = [
  "rollup_hours",
  "rollup_days",
  "customer_days",
  "customer_weeks",
  "subject_hours",
  "subject_days",
  "agent_version_days",
  "profile_days",
  "profile_weeks",
] as const;

export const retainedCall = (index: number) =>
  sampleSettlement(`event ${index}`, {
    created_at: FIRST_DAY + Math.floor((index * DAY_MS) / PER_DAY),
    agent_key: `agent ${index % 3}`,
    session_id: `session ${Math.floor(index / 50)}`,
    customer_id: index % 2 === 0 ? `customer ${index % 5}` : null,
    config_version: `v${index % 4}`,
    key_id: `key ${index % 3}`,
    latency_ms: index < SLOW_CALLS ? 5000 : 100,
  });

/** A ledger of sixty days. Near its end, a client reports a call of the second day. */
export async function startRetentionLab(database: ControlDatabase, path: string) {
  const ledger = new Ledger(path, "normal");
  const calls = Array.from({ length: DAYS * PER_DAY }, (_, index) => retainedCall(index));
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
  return { ledger, reader, followers, retain };
}

export function followersOf(database: ControlDatabase, reader: LedgerReader) {
  return [
    followReadModel(database, reader, { listing: { segmentEvents: 20, volumeSegments: 2 } }),
    followProfile(database, reader, { contextWindowOf: () => 128_000 }),
  ];
}

/** Everything that retention must keep. */
export async function sumsOf(database: ControlDatabase): Promise<unknown> {
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

/** What the gateway does, until nothing is left. */
export async function removeEvents(database: ControlDatabase, ledger: Ledger): Promise<number> {
  const { beginning, beginsAtMs } = await readHistory(database.db);
  if (beginning === null) return 0;
  for (let removed = 0; ; ) {
    const { events, isMore } = await ledger.removeOldest({ ...beginning, atMs: beginsAtMs }, 50);
    removed += events;
    if (!isMore) return removed;
  }
}

export async function differencesIn(
  database: ControlDatabase,
  reader: LedgerReader,
): Promise<readonly string[]> {
  return [
    ...verifyLedger(reader).differences,
    ...(await verifyReadModel(database, reader)),
    ...(await verifyProfile(database)),
  ];
}
