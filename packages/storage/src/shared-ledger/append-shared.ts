import type { Event } from "@tollgate/core/event";
import { sql } from "kysely";
import type { ControlTransaction } from "../database/schema.ts";
import { upsertRows } from "../database/upsert-rows.ts";
import type { SequencedEvent } from "../ledger/ledger-reader.ts";
import { isReported } from "./is-reported.ts";
import { lockSharedEnd } from "./lock-shared-end.ts";
import { removedFromShared } from "./removed-from-shared.ts";
import { encodeSharedEvent } from "./shared-event.ts";

/** In one or two partitions. */
const NEWEST_EVENTS = 50_000;

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
  newestEvents = NEWEST_EVENTS,
): Promise<number> {
  const { position: end } = await lockSharedEnd(transaction);
  const known = await knownIds(transaction, batch, end - newestEvents);
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
      encodeSharedEvent(event),
    ]),
  );
  const position = end + missing.length;
  if (position > end) await transaction.updateTable("shared_ledger_end").set({ position }).execute();
  return position;
}

type Key = Pick<Event, "org_id" | "id">;

const keyOf = ({ org_id, id }: Key) => `${org_id} ${id}`;

/**
 * The events that PostgreSQL has already. Looking for each id in every partition would take longer than inserting it. But ids
 * of calls ascend with time: if no older event has one between the least and the greatest of the batch, only the newest events
 * have to be searched. Ids of reported events are arbitrary.
 */
async function knownIds(
  transaction: ControlTransaction,
  batch: readonly SequencedEvent[],
  newest: number,
): Promise<ReadonlySet<string>> {
  const events = batch.map(({ event }) => event);
  const made = events.filter(event => !isReported(event));
  const after = newest > 0 && !(await isAnyBetween(transaction, made, newest)) ? newest : 0;
  const known = [
    ...(await keysAfter(transaction, made, after)),
    ...(await keysAfter(transaction, events.filter(isReported), 0)),
  ];
  return new Set(known.map(keyOf));
}

/** Whether an event up to this position has an id between the least and the greatest of its organization's. */
async function isAnyBetween(
  transaction: ControlTransaction,
  events: readonly Key[],
  upTo: number,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM (SELECT org_id, min(id) AS least, max(id) AS greatest FROM ${recordsOf(events)} GROUP BY 1) AS ids,
      LATERAL (SELECT 1 FROM shared_events AS e
        WHERE e.org_id = ids.org_id AND e.id BETWEEN ids.least AND ids.greatest AND position <= ${upTo} LIMIT 1) AS found
    LIMIT 1`.execute(transaction);
  return rows.length > 0;
}

async function keysAfter(
  transaction: ControlTransaction,
  events: readonly Key[],
  after: number,
): Promise<Key[]> {
  if (events.length === 0) return [];
  const { rows } = await sql<Key>`
    SELECT org_id, id FROM shared_events
    WHERE position > ${after} AND (org_id, id) IN (SELECT org_id, id FROM ${recordsOf(events)})`.execute(
    transaction,
  );
  return rows;
}

const recordsOf = (events: readonly Key[]) =>
  sql`json_to_recordset(CAST(CAST(${JSON.stringify(events.map(({ org_id, id }) => ({ org_id, id })))} AS TEXT) AS JSON))
    AS sent (org_id TEXT, id TEXT)`;
