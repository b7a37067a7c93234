import { modes } from "@tollgate/core/event";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { sql } from "kysely";
import { readHistory } from "../../database/history.ts";
import { listOfTexts } from "../../database/list-of.ts";
import type { ControlDatabase, Engine } from "../../database/open-control-database.ts";
import { unlessInUse } from "../../database/partitions.ts";
import type { ControlTransaction } from "../../database/schema.ts";
import { withoutSync } from "../../database/without-sync.ts";
import { lockPosition, readPosition, readSeq } from "../../following/stored-position.ts";
import { keptSince } from "../../ledger/kept-since.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { olderFactsCursor } from "./complete-older-facts.ts";
import { unpricedCursor } from "./count-older-unpriced.ts";
import { dropFactPartitions, extendFactPartitions } from "./fact-partitions.ts";
import { ADJUSTMENTS_CURSOR, EVENTS_CURSOR } from "./read-model-repair.ts";
import { isRefillDue } from "./refill-sums.ts";
import { removeOldFacts, removeOldLists } from "./remove-old-facts.ts";

export interface RetentionParts {
  readonly database: ControlDatabase;
  readonly ledger: LedgerReader;
  readonly days: number;
  readonly now: () => number;
  /** A table of PostgreSQL is in use, so its partitions are changed by a later pass. */
  readonly onTableInUse?: () => void;
  /** A call from the far future keeps PostgreSQL from dividing the newer facts. */
  readonly onFutureCall?: () => void;
  /** Every reader of the ledger whose position is stored: nothing is removed before all of them have read it. */
  readonly readers: readonly { readonly reader: string; store(): Promise<void> }[];
}

const PAUSE_MS = 20;
/** The ledger has no index by time: how many events are looked at to find the first one to keep. */
const EVENTS_PER_STEP = 50_000;

/**
 * One pass of retention: decides where history begins, removes older facts in small transactions, and then allows the
 * gateway to remove older events. Ends at the signal; the next pass continues. Resolves with the number of facts.
 */
export async function retainHistory(parts: RetentionParts, signal?: AbortSignal): Promise<number> {
  await withoutSync(parts.database, db => db.transaction().execute(tx => moveHistory(parts, tx)));
  const facts = (await dropOldFacts(parts, signal)) + (await removeOldFacts(parts.database, signal));
  await removeOldLists(parts.database, signal);
  while (signal?.aborted !== true && (await moveBeginning(parts))) await Bun.sleep(PAUSE_MS);
  if (signal?.aborted !== true) await extendFacts(parts);
  return facts;
}

/** Whole partitions; what is left of older ones is removed like on SQLite. */
async function dropOldFacts(
  { database, onTableInUse }: RetentionParts,
  signal?: AbortSignal,
): Promise<number> {
  const { db, engine } = database;
  if (engine !== "postgres" || signal?.aborted === true) return 0;
  const { beginsAtMs } = await readHistory(db);
  return (await unlessInUse(onTableInUse, () => dropFactPartitions(db, beginsAtMs))) ?? 0;
}

async function extendFacts({
  database,
  days,
  now,
  onTableInUse,
  onFutureCall,
}: RetentionParts): Promise<void> {
  const { db, engine } = database;
  if (engine !== "postgres") return;
  const isDivided = await unlessInUse(onTableInUse, () => extendFactPartitions(db, days, now()));
  if (isDivided === false) onFutureCall?.();
}

/** History never moves back, and not while anything that needs older facts is under way. */
async function moveHistory(parts: RetentionParts, transaction: ControlTransaction): Promise<void> {
  const { engine } = parts.database;
  // The read model writes facts and applies adjustments only under this lock.
  await lockPosition(transaction, engine, EVENTS_CURSOR);
  if (engine === "postgres") await sql`LOCK TABLE adjustments IN SHARE MODE`.execute(transaction);
  if (await isBusy(transaction)) return;
  const wanted = await wantedBeginning(parts, transaction);
  const { beginsAtMs } = await readHistory(transaction);
  if (wanted > beginsAtMs) await transaction.updateTable("history").set({ begins_at: wanted }).execute();
}

/** A rebuild, older facts that are not complete, sums to be refilled, or adjustments that are not in the read model. */
async function isBusy(transaction: ControlTransaction): Promise<boolean> {
  const rebuild = await transaction
    .selectFrom("rebuilds")
    .select("id")
    .where("finished_at", "is", null)
    .executeTakeFirst();
  const adjusted = await readSeq(transaction, ADJUSTMENTS_CURSOR);
  const adjustment = await transaction
    .selectFrom("adjustments")
    .select("id")
    .where("id", ">", adjusted)
    .executeTakeFirst();
  return (
    rebuild !== undefined ||
    adjustment !== undefined ||
    (await unpricedCursor(transaction)) !== null ||
    (await olderFactsCursor(transaction)) !== null ||
    (await isRefillDue(transaction))
  );
}

/** The start of a day in UTC, so that no rollup straddles the boundary. */
async function wantedBeginning(
  { ledger, days, now }: RetentionParts,
  transaction: ControlTransaction,
): Promise<number> {
  const latest = keptSince(ledger, days, now());
  const experiment = await transaction
    .selectFrom("experiments")
    .select(({ fn }) => fn.min<number | null>("created_at").as("at"))
    .where("ended_at", "is", null)
    .executeTakeFirst();
  const verification = await transaction
    .selectFrom("verification_requests")
    .select(({ fn }) => fn.min<number | null>("created_at").as("at"))
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return startOfDay(Math.min(latest, experiment?.at ?? latest, verification?.at ?? latest));
}

/** Allows the gateway to remove events without facts that all readers have passed. Resolves with whether it moved. */
async function moveBeginning({ database, ledger, readers }: RetentionParts): Promise<boolean> {
  for (const one of readers) await one.store();
  return database.db.transaction().execute(async transaction => {
    await lockPosition(transaction, database.engine, EVENTS_CURSOR);
    if (await isBusy(transaction)) return false;
    const { beginsAtMs, beginning } = await readHistory(transaction);
    if (beginsAtMs === 0) return false;
    let read = ledger.newestSeq();
    for (const { reader } of readers) {
      const position = await readPosition(transaction, reader);
      if (position === null || !ledger.has(position)) return false;
      read = Math.min(read, position.seq);
    }
    const from = Math.max(beginning?.seq ?? 0, ledger.oldestSeq());
    const upTo = Math.min(read, from + EVENTS_PER_STEP);
    const next = ledger.firstSince(beginsAtMs, from, upTo) ?? ledger.lastPositionUpTo(upTo);
    if (next.eventId === null || next.seq <= from) return false;
    const fact = await transaction
      .selectFrom("facts")
      .select("seq")
      .where("seq", "<", next.seq)
      .limit(1)
      .executeTakeFirst();
    if (fact !== undefined) return false;
    await describeAdjusted(transaction, database.engine, ledger, next.seq);
    await transaction
      .updateTable("history")
      .set({ begins_seq: next.seq, begins_event_id: next.eventId })
      .execute();
    return true;
  });
}

/** Adjustments stay: what `svc ledger verify` has to know of their events is recorded before these are gone. */
async function describeAdjusted(
  transaction: ControlTransaction,
  engine: Engine,
  ledger: LedgerReader,
  beforeSeq: number,
): Promise<void> {
  const rows = await transaction
    .selectFrom("adjustments")
    .select("event_id")
    .where("removed_mode", "is", null)
    .execute();
  const events = ledger
    .summariesByIds(rows.map(({ event_id }) => event_id))
    .filter(({ seq }) => seq < beforeSeq);
  for (const mode of modes) {
    for (const isUnpriced of [true, false]) {
      const ids = events
        .filter(event => event.mode === mode && (event.cost_basis === "unpriced") === isUnpriced)
        .map(({ id }) => id);
      if (ids.length === 0) continue;
      await transaction
        .updateTable("adjustments")
        .set({ removed_mode: mode, removed_unpriced: isUnpriced ? 1 : 0 })
        .where("event_id", "in", listOfTexts(engine, ids))
        .execute();
    }
  }
}
