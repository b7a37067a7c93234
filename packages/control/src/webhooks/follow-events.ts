import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { ControlDatabase, Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import { Following } from "@tollgate/storage/following/following";
import type { LedgerConsumer, LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import { LedgerCursor } from "@tollgate/storage/following/ledger-cursor";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import { isSamePosition } from "@tollgate/storage/ledger/ledger-position";
import type { EventSummary, LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { scopeName } from "@tollgate/storage/ledger/scope-name";
import { toScope } from "@tollgate/storage/ledger/to-scope";
import type { Kysely } from "kysely";
import { bodyOf, type Delivery } from "../delivery/delivery.ts";
import { pendingDelivery } from "../delivery/enqueue-deliveries.ts";
import { selects } from "../delivery/enqueue-webhooks.ts";
import { writeDeliveries } from "../delivery/write-deliveries.ts";
import type { Control } from "../kernel/context.ts";
import { eventCreatedData } from "./event-created-data.ts";
import { eventDeliveryId } from "./event-delivery-id.ts";

export const WEBHOOKS_CURSOR = "webhooks:events";

const KIND = "event.created";
const POLL_MS = 20;
/** Events that are read at once, and deliveries that are written at once: fifty webhooks make fifty of an event. */
const EVENTS = 500;
const DELIVERIES = 2000;

export interface WebhookFollowerOptions {
  /** Has just been given something to send. */
  readonly wake: (receivers: Iterable<string>) => void;
  /** Repairs what was derived from another ledger. */
  readonly continuity?: LedgerContinuity;
  /** What `run` survived. */
  readonly onFault?: (fault: unknown) => void;
}

interface Listener {
  readonly id: string;
  readonly since_seq: number;
}

/**
 * Deliveries stay as they are: they tell of calls that were made. It goes on after the last event that both ledgers
 * have; what is made a second time has the same id, and is there already.
 */
export const webhookConsumer: LedgerConsumer = {
  cursor: WEBHOOKS_CURSOR,
  async restart(db, _engine, common) {
    // The number at which somebody registered stands for another event now: what is new to us is new to them.
    await db
      .updateTable("webhooks")
      .set({ since_seq: common.seq })
      .where("since_seq", ">", common.seq)
      .execute();
    return common;
  },
};

/**
 * Makes deliveries of `event.created` from the ledger, each event once for each webhook that selected them. The
 * deliveries and the cursor are one transaction: a crash repeats nothing and skips nothing. A power cut may take the
 * last of them back, when some were sent already: ids and bodies follow from the webhook and the event alone, so what
 * is made again is the same. Who listens is read in the transaction too, or somebody who has just registered could
 * miss their first event.
 */
export class WebhookFollower {
  readonly #cursor: LedgerCursor;
  readonly #following: Following;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly parts: Pick<Control, "now">,
    private readonly options: WebhookFollowerOptions,
  ) {
    // The very first time: what happened before there were webhooks is told to nobody.
    this.#cursor = new LedgerCursor(database, WEBHOOKS_CURSOR, async () => ledger.newestPosition());
    this.#following = new Following(options.continuity ?? null, () => this.#cursor.forget());
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(
      signal,
      POLL_MS,
      () => this.catchUp(signal),
      fault => this.options.onFault?.(fault),
    );
  }

  catchUp(signal?: AbortSignal): Promise<void> {
    return this.#following.attempt(() => this.#catchUp(signal));
  }

  async #catchUp(signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true) {
      const place = await this.#cursor.place();
      // Before it is asked who listens: an event that comes after it is for whoever is there by then.
      const newest = this.ledger.newestPosition();
      if (isSamePosition(place, newest)) return;
      if (await hasListeners(this.database.db)) {
        const receivers = await this.#step();
        if (receivers.size > 0) this.options.wake(receivers);
      } else this.#cursor.skipTo(this.ledger.readFrom(place, () => newest));
      // SQLite never waits for anything: without this, nobody else would have a turn until the last event.
      await new Promise(resolve => setImmediate(resolve));
    }
  }

  #step(): Promise<ReadonlySet<string>> {
    return this.#cursor.advance(async (transaction, from) => {
      const { events, place } = this.ledger.readFrom(from, place => ({
        events: this.ledger.summariesAfter(place.seq, EVENTS),
        place,
      }));
      const listeners = await readListeners(transaction, this.database.engine, events);
      const { rows, last } = this.#deliveriesOf(events, listeners);
      await writeDeliveries(transaction, this.database.engine, rows);
      return {
        to: last === undefined ? place : { seq: last.seq, eventId: last.id },
        isEmpty: rows.length === 0,
        result: new Set(rows.map(({ receiver }) => receiver)),
      };
    });
  }

  #deliveriesOf(
    events: readonly EventSummary[],
    listeners: ReadonlyMap<string, readonly Listener[]>,
  ): { readonly rows: Delivery[]; readonly last: EventSummary | undefined } {
    const rows: Delivery[] = [];
    let last: EventSummary | undefined;
    const now = this.parts.now();
    for (const event of events) {
      if (rows.length >= DELIVERIES) break;
      last = event;
      const interested =
        listeners.get(scopeName(toScope(event)))?.filter(({ since_seq }) => event.seq > since_seq) ?? [];
      if (interested.length === 0) continue;
      const settledAt = event.created_at + event.latency_ms;
      const body = bodyOf(KIND, settledAt, eventCreatedData(event));
      const told = { ...toScope(event), channel: "webhook", kind: KIND, subjectId: event.id, body } as const;
      for (const { id } of interested) {
        rows.push(
          pendingDelivery(eventDeliveryId(id, event.id, KIND, settledAt), { ...told, receiver: id }, now),
        );
      }
    }
    return { rows, last };
  }
}

const selected = (db: Kysely<ControlSchema>) =>
  db.selectFrom("webhooks").where("disabled_at", "is", null).where("events", "like", `%"${KIND}"%`);

async function hasListeners(db: Kysely<ControlSchema>): Promise<boolean> {
  return (await selected(db).select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** Of the organizations that these events are of, by organization and mode. */
async function readListeners(
  db: Kysely<ControlSchema>,
  engine: Engine,
  events: readonly EventSummary[],
): Promise<ReadonlyMap<string, readonly Listener[]>> {
  const found = new Map<string, Listener[]>();
  if (events.length === 0) return found;
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
