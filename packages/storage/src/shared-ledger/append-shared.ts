import type { Event } from "@tollgate/core/event";
import { sql } from "kysely";
import type { ControlTransaction } from "../database/schema.ts";
import { upsertRows } from "../database/upsert-rows.ts";
import type { SequencedEvent } from "../ledger/ledger-reader.ts";
import { lockSharedEnd } from "./lock-shared-end.ts";
import { removedFromShared } from "./removed-from-shared.ts";

const events = {
  table: "shared_events",
  columns: ["org_id", "id", "position", "node_id", "node_seq", "created_at", "event"],
  key: [],
  add: [],
} as const;

/**
 * Appends a node's events to the shared ledger in PostgreSQL, in their order. The end of the ledger is locked until the
 * commit: positions have no gaps, and a reader that sees one has seen everything before it. Events that are or were there
 * already, from before this node's ledger was restored or from another node that ingested the same one, are skipped.
 */
export async function appendShared(
  transaction: ControlTransaction,
  nodeId: string,
  batch: readonly SequencedEvent[],
): Promise<number> {
  const { position: end } = await lockSharedEnd(transaction);
  const known = await knownIds(transaction, batch);
  const removed = await removedFromShared(
    transaction,
    nodeId,
    batch.map(({ seq, event }) => ({ ...event, seq })),
  );
  const missing = batch.filter(({ event }) => !known.has(keyOf(event)) && !removed.has(event.id));
  await upsertRows(
    transaction,
    "postgres",
    events,
    missing.map(({ seq, event }, index) => [
      event.org_id,
      event.id,
      end + index + 1,
      nodeId,
      seq,
      event.created_at,
      JSON.stringify(event),
    ]),
  );
  const position = end + missing.length;
  if (position > end) await transaction.updateTable("shared_ledger_end").set({ position }).execute();
  return position;
}

const keyOf = ({ org_id, id }: Pick<Event, "org_id" | "id">) => `${org_id} ${id}`;

async function knownIds(
  transaction: ControlTransaction,
  batch: readonly SequencedEvent[],
): Promise<ReadonlySet<string>> {
  const ids = JSON.stringify(batch.map(({ event }) => ({ org_id: event.org_id, id: event.id })));
  const { rows } = await sql<Pick<Event, "org_id" | "id">>`
    SELECT org_id, id FROM shared_events WHERE (org_id, id) IN
      (SELECT org_id, id FROM json_to_recordset(CAST(CAST(${ids} AS TEXT) AS JSON)) AS sent (org_id TEXT, id TEXT))
  `.execute(transaction);
  return new Set(rows.map(keyOf));
}
