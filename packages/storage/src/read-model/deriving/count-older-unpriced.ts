import { adjustedUpTo } from "../../database/adjusted-up-to.ts";
import { listOfNumbers } from "../../database/list-of.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { movePosition, readPosition } from "../../following/stored-position.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { storableEvent } from "../../ledger/storable-name.ts";
import type { KnownIds } from "./known-ids.ts";
import { type Change, writeReadModel } from "./write-read-model.ts";

/** Exists only while an upgraded installation still has facts from before unpriced calls were counted. */
const UNPRICED_CURSOR = "read-model:unpriced";

const BATCH = 5000;

/**
 * Adds the unpriced calls among the next few thousand older events to all their sums. Costs stay unchanged: a full
 * rebuild would show a large installation wrong totals for minutes. Resolves with whether there are more.
 */
export async function countOlderUnpriced(
  db: ControlDb,
  engine: Engine,
  ledger: LedgerReader,
  ids: KnownIds,
  cursors: { readonly events: number; readonly adjustments: number },
): Promise<boolean> {
  const at = await unpricedCursor(db);
  if (at === null) return false;
  const upTo = Math.min(at + BATCH, cursors.events);
  const events = ledger.unpricedWithin(at, upTo).map(storableEvent);
  const adjusted = await adjustedUpTo(
    db,
    engine,
    cursors.adjustments,
    events.map(({ id }) => id),
  );
  const uncounted = await factsNotCounted(
    db,
    engine,
    events.map(({ seq }) => seq),
  );
  const changes: Change[] = events
    .filter(({ id, seq }) => uncounted.has(seq) && !adjusted.has(id))
    .map(event => ({
      kind: "cost",
      event,
      costMicrocents: 0,
      costByKind: {},
      unpricedCalls: 1,
      sourceCode: 0,
    }));
  await writeReadModel(db, engine, ids, "cost", changes);
  if (upTo >= cursors.events) {
    await db.deleteFrom("cursors").where("reader", "=", UNPRICED_CURSOR).execute();
    return false;
  }
  await movePosition(db, UNPRICED_CURSOR, { seq: upTo, eventId: null });
  return true;
}

/** The event up to which unpriced calls are counted; null: all of them. */
export async function unpricedCursor(db: ControlDb): Promise<number | null> {
  return (await readPosition(db, UNPRICED_CURSOR))?.seq ?? null;
}

/** If the read model was rebuilt in between, they are already counted. */
async function factsNotCounted(
  db: ControlDb,
  engine: Engine,
  seqs: readonly number[],
): Promise<ReadonlySet<number>> {
  if (seqs.length === 0) return new Set();
  const rows = await db
    .selectFrom("facts")
    .select("seq")
    .where("seq", "in", listOfNumbers(engine, seqs))
    .where("unpriced", "=", 0)
    .execute();
  return new Set(rows.map(({ seq }) => seq));
}
