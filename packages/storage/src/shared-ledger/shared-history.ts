import { type Event, isVerification } from "@tollgate/core/event";
import { monthOf } from "@tollgate/core/time/month";
import { parseEnumValue } from "../database/from-row.ts";
import { readHistory } from "../database/history.ts";
import type { ControlDb, ControlTransaction } from "../database/schema.ts";
import { upsertRows } from "../database/upsert-rows.ts";
import type { Removed, RemovedEvents } from "../ledger/event-removal.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { isReported } from "./is-reported.ts";
import { lockSharedEnd } from "./lock-shared-end.ts";
import { UNKNOWN_ORGANIZATION } from "./removed-from-shared.ts";
import { readSharedBeginning } from "./shared-beginning.ts";
import { decodeSharedEvent } from "./shared-event.ts";

/** Every node that ships waits for a step. */
const EVENTS_PER_STEP = 500;
const PAUSE_MS = 20;

const sums = {
  table: "shared_removed_events",
  columns: ["org_id", "mode", "month", "events", "calls", "cost_microcents", "unpriced_calls"],
  key: ["org_id", "mode", "month"],
  add: ["events", "calls", "cost_microcents", "unpriced_calls"],
} as const;

const ids = {
  table: "shared_removed_ids",
  columns: ["org_id", "id"],
  key: ["org_id", "id"],
  add: [],
} as const;

const nodes = {
  table: "shared_removed_nodes",
  columns: ["node_id", "seq"],
  key: ["node_id"],
  add: [],
  greatest: ["seq"],
} as const;

/** What a copy that is made now has to know of the events that it cannot have; null: none was removed. */
export async function readRemoved(db: ControlDb): Promise<Removed | null> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async snapshot => {
      const { position, atMs } = await readSharedBeginning(snapshot);
      if (position === 0) return null;
      const rows = await snapshot.selectFrom("shared_removed_events").selectAll().execute();
      const known = await snapshot.selectFrom("shared_removed_ids").select("id").execute();
      return {
        seq: position,
        atMs,
        sums: rows.map(row => ({
          ...row,
          mode: parseEnumValue("shared_removed_events", "mode", row.org_id, row.mode),
        })),
        ids: known.map(({ id }) => id),
      };
    });
}

/**
 * Removes the events that retention no longer keeps, in small steps, until the signal. What they add up to, the ids that
 * clients know and how far each node's events are gone is recorded in the same transaction. Resolves with their number.
 */
export async function removeSharedEvents(db: ControlDb, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  while (signal?.aborted !== true) {
    const events = await db.transaction().execute(removeStep);
    if (events === 0) break;
    removed += events;
    await Bun.sleep(PAUSE_MS);
  }
  return removed;
}

async function removeStep(transaction: ControlTransaction): Promise<number> {
  const { begins_position } = await lockSharedEnd(transaction);
  const { beginsAtMs, beginning } = await readHistory(transaction);
  const from = Math.max(1, begins_position);
  if (beginning === null || beginning.seq <= from) return 0;
  const first = await transaction
    .selectFrom("shared_events")
    .select("position")
    .where("position", "=", beginning.seq)
    .where("id", "=", beginning.eventId)
    .executeTakeFirst();
  // The history is that of another ledger.
  if (first === undefined) return 0;
  const to = Math.min(beginning.seq, from + EVENTS_PER_STEP);
  const rows = await transaction
    .selectFrom("shared_events")
    .select(["node_id", "node_seq", "event"])
    .where("position", "<", to)
    .execute();
  const events = rows.map(({ event }) => decodeSharedEvent(event));
  const newest = new Map<string, number>();
  for (const { node_id, node_seq } of rows) {
    newest.set(node_id, Math.max(newest.get(node_id) ?? 0, node_seq));
  }
  await record(transaction, sumsOf(events), events.filter(isReported), newest);
  await transaction.deleteFrom("shared_events").where("position", "<", to).execute();
  await transaction
    .updateTable("shared_ledger_end")
    .set({ begins_position: to, begins_at: beginsAtMs })
    .execute();
  return to - from;
}

/**
 * The first node ships a ledger that has already lost its beginning: positions stay equal to its seqs, as if the removed
 * events had been shipped as well. Nothing happens once the shared ledger has events.
 */
export async function beginShared(
  transaction: ControlTransaction,
  nodeId: string,
  ledger: LedgerReader,
): Promise<void> {
  const { seq, atMs } = ledger.beginning();
  const { position } = await lockSharedEnd(transaction);
  if (seq <= 1 || position > 0) return;
  const reported = ledger.removedIds().map(id => ({ org_id: UNKNOWN_ORGANIZATION, id }));
  await record(transaction, ledger.removedEvents(), reported, new Map([[nodeId, seq - 1]]));
  await transaction
    .updateTable("shared_ledger_end")
    .set({ position: seq - 1, begins_position: seq, begins_at: atMs })
    .execute();
}

async function record(
  transaction: ControlTransaction,
  removed: readonly RemovedEvents[],
  reported: readonly Pick<Event, "org_id" | "id">[],
  newest: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = removed.map(sum => sums.columns.map(column => sum[column]));
  await upsertRows(transaction, "postgres", sums, rows);
  await upsertRows(
    transaction,
    "postgres",
    ids,
    reported.map(({ org_id, id }) => [org_id, id]),
  );
  await upsertRows(transaction, "postgres", nodes, [...newest]);
}

function sumsOf(events: readonly Event[]): RemovedEvents[] {
  const groups = Map.groupBy(events, ({ org_id, mode, created_at }) =>
    JSON.stringify([org_id, mode, monthOf(created_at)]),
  );
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    if (first === undefined) return [];
    return {
      org_id: first.org_id,
      mode: first.mode,
      month: monthOf(first.created_at),
      events: group.length,
      calls: group.filter(({ source }) => !isVerification(source)).length,
      cost_microcents: group.reduce((sum, { cost_microcents }) => sum + cost_microcents, 0),
      unpriced_calls: group.filter(({ cost_basis }) => cost_basis === "unpriced").length,
    };
  });
}
