import type { CostByKind } from "@tollgate/core/pricing/split-cost";
import { adjustedUpTo } from "../../database/adjusted-up-to.ts";
import { listOfNumbers } from "../../database/list-of.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { movePosition, readPosition } from "../../following/stored-position.ts";
import type { CountedEvent } from "../../ledger/event-parts.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { sourceCodes } from "../../ledger/source-codes.ts";
import { storableEvent } from "../../ledger/storable-name.ts";
import type { KnownIds } from "./known-ids.ts";
import { type Change, writeReadModel } from "./write-read-model.ts";

/** Exists only while an upgraded installation still has facts without their source and kinds of cost. */
const OLDER_FACTS_CURSOR = "read-model:older-facts";

const BATCH = 1000;

/**
 * Adds source and kinds of cost to the next older facts and to their sums. Costs stay unchanged; until then a cost is
 * shown as of no known kind. Resolves with whether there are more.
 */
export async function completeOlderFacts(
  db: ControlDb,
  engine: Engine,
  ledger: LedgerReader,
  ids: KnownIds,
  split: (event: CountedEvent, adjustment?: number) => CostByKind,
  cursors: { readonly events: number; readonly adjustments: number },
): Promise<boolean> {
  const at = await olderFactsCursor(db);
  if (at === null) return false;
  const upTo = Math.min(at + BATCH, cursors.events);
  const events = ledger.countedBetween(at, upTo).map(storableEvent);
  const adjusted = await adjustedUpTo(
    db,
    engine,
    cursors.adjustments,
    events.map(({ id }) => id),
  );
  const incomplete = await factsWithoutSource(
    db,
    engine,
    events.map(({ seq }) => seq),
  );
  const changes = events.flatMap((event): Change[] => {
    const counted = incomplete.get(event.seq);
    if (counted === undefined) return [];
    const adjustment = (adjusted.get(event.id) ?? 0) - counted;
    return [
      {
        kind: "cost",
        event,
        costMicrocents: 0,
        costByKind: split(event, adjustment),
        unpricedCalls: 0,
        sourceCode: sourceCodes[event.source],
      },
    ];
  });
  await writeReadModel(db, engine, ids, "cost", changes);
  if (upTo >= cursors.events) {
    await db.deleteFrom("cursors").where("reader", "=", OLDER_FACTS_CURSOR).execute();
    return false;
  }
  await movePosition(db, OLDER_FACTS_CURSOR, { seq: upTo, eventId: null });
  return true;
}

/** The event up to which facts are complete; null: all of them are. */
export async function olderFactsCursor(db: ControlDb): Promise<number | null> {
  return (await readPosition(db, OLDER_FACTS_CURSOR))?.seq ?? null;
}

/** Facts of this version, or of a rebuilt read model, have one. By seq, with the reratings since the upgrade. */
async function factsWithoutSource(
  db: ControlDb,
  engine: Engine,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (seqs.length === 0) return new Map();
  const rows = await db
    .selectFrom("facts")
    .select(["seq", "adjustment_microcents"])
    .where("seq", "in", listOfNumbers(engine, seqs))
    .where("source", "=", 0)
    .execute();
  return new Map(rows.map(row => [row.seq, row.adjustment_microcents]));
}
