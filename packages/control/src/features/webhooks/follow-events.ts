import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { ControlDatabase, Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import {
  followStored,
  type StoredConsumer,
  type StoredFollower,
} from "@tollgate/storage/following/follow-stored";
import type { FollowerOptions } from "@tollgate/storage/following/follower";
import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import type { EventSummary } from "@tollgate/storage/ledger/event-parts";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { scopeName, toScope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { bodyOf, type Delivery } from "../../messaging/delivery/delivery.ts";
import { pendingDelivery } from "../../messaging/delivery/enqueue-deliveries.ts";
import { selects } from "../../messaging/delivery/enqueue-webhooks.ts";
import { writeDeliveries } from "../../messaging/delivery/write-deliveries.ts";
import { eventCreatedData } from "./event-created-data.ts";
import { eventDeliveryId } from "./event-delivery-id.ts";

export const WEBHOOKS_CURSOR = "webhooks:events";

const KIND = "event.created";
/** Bounds a batch by its deliveries, because each event has one per webhook. */
const MAX_DELIVERIES = 2000;

interface Listener {
  readonly id: string;
  readonly since_seq: number;
}

/**
 * Deliveries are kept, because the calls they report were made. Following continues after the last event that both
 * ledgers have; a delivery created a second time has the same id and is ignored.
 */
export const webhookRepair: LedgerRepair = {
  reader: WEBHOOKS_CURSOR,
  async restart(db, _engine, common) {
    // Seqs after the common event are reused, so a webhook registered beyond it would miss new events.
    await db
      .updateTable("webhooks")
      .set({ since_seq: common.seq })
      .where("since_seq", ">", common.seq)
      .execute();
    return common;
  },
};

/**
 * Enqueues an `event.created` delivery for each event and each webhook that selected the kind. A power cut may undo the
 * last commits after their deliveries were sent, so ids and bodies depend only on webhook and event: what is enqueued
 * again is identical. Webhooks are read in the same transaction, or a newly registered one could miss its first event.
 */
export function followEvents(
  database: ControlDatabase,
  ledger: LedgerReader,
  control: Pick<Control, "now" | "wakeSender">,
  options: FollowerOptions = {},
): StoredFollower<EventSummary> {
  const { db, engine } = database;
  const consumer: StoredConsumer<EventSummary> = {
    repair: webhookRepair,
    batchSize: 500,
    pollMs: 20,
    // On first use there are no webhooks yet, so past events are skipped.
    begin: async () => ledger.newestPosition(),
    hasWork: async () => (await selected(db).select("id").limit(1).executeTakeFirst()) !== undefined,
    read: (after, upTo) => ledger.summariesBetween(after, upTo),
    async apply({ events, from }, transaction) {
      const listeners = await readListeners(transaction, engine, events);
      const { rows, last } = deliveriesOf(events, listeners, control.now());
      await writeDeliveries(transaction, engine, rows);
      const receivers = new Set(rows.map(({ receiver }) => receiver));
      return {
        upTo: last === undefined ? from : { seq: last.seq, eventId: last.id },
        isEmpty: rows.length === 0,
        afterCommit: () => {
          if (receivers.size > 0) control.wakeSender(receivers);
        },
      };
    },
  };
  return followStored(database, ledger, consumer, options);
}

function deliveriesOf(
  events: readonly EventSummary[],
  listeners: ReadonlyMap<string, readonly Listener[]>,
  now: number,
): { readonly rows: Delivery[]; readonly last: EventSummary | undefined } {
  const rows: Delivery[] = [];
  let last: EventSummary | undefined;
  for (const event of events) {
    if (rows.length >= MAX_DELIVERIES) break;
    last = event;
    const interested =
      listeners.get(scopeName(toScope(event)))?.filter(({ since_seq }) => event.seq > since_seq) ?? [];
    if (interested.length === 0) continue;
    const settledAt = event.created_at + event.latency_ms;
    const body = bodyOf(KIND, settledAt, eventCreatedData(event));
    const base = { ...toScope(event), channel: "webhook", kind: KIND, subjectId: event.id, body } as const;
    for (const { id } of interested) {
      rows.push(
        pendingDelivery(eventDeliveryId(id, event.id, KIND, settledAt), { ...base, receiver: id }, now),
      );
    }
  }
  return { rows, last };
}

const selected = (db: ControlDb) =>
  db.selectFrom("webhooks").where("disabled_at", "is", null).where("events", "like", `%"${KIND}"%`);

/** The webhooks of these events' organizations, by scope. */
async function readListeners(
  db: ControlDb,
  engine: Engine,
  events: readonly EventSummary[],
): Promise<ReadonlyMap<string, readonly Listener[]>> {
  const found = new Map<string, Listener[]>();
  const organizations = [...new Set(events.map(({ org_id }) => org_id))];
  const rows = await selected(db)
    .select(["id", "org_id", "mode", "events", "since_seq"])
    .where("org_id", "in", listOfTexts(engine, organizations))
    .execute();
  for (const row of rows) {
    if (!selects(row.events, KIND)) continue;
    const key = scopeName(toScope(row));
    const others = found.get(key);
    if (others) others.push(row);
    else found.set(key, [row]);
  }
  return found;
}
