import type { ControlDatabase, Engine } from "@tollgate/storage/control/open-control-database";
import type { ControlSchema } from "@tollgate/storage/control/schema";
import { listOfTexts } from "@tollgate/storage/engine/list-of";
import { withoutSync } from "@tollgate/storage/engine/without-sync";
import type { EventSummary, LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { scopeName } from "@tollgate/storage/read-model/scope-name";
import { toScope } from "@tollgate/storage/read-model/to-scope";
import { repeatUntil } from "@tollgate/storage/repeat-until";
import type { Kysely } from "kysely";
import type { Control } from "../context.ts";
import { bodyOf, type Delivery } from "./delivery.ts";
import { pendingDelivery } from "./enqueue-deliveries.ts";
import { selects } from "./enqueue-webhooks.ts";
import { eventCreatedData } from "./event-created-data.ts";
import { eventDeliveryId } from "./event-delivery-id.ts";
import { writeDeliveries } from "./write-deliveries.ts";

export const WEBHOOKS_CURSOR = "webhooks:events";

const KIND = "event.created";
const POLL_MS = 20;
/** Events that are read at once, and deliveries that are written at once: fifty webhooks make fifty of an event. */
const EVENTS = 500;
const DELIVERIES = 2000;
/** How far the cursor on disk may be behind while there is nothing to write beside it. */
const UNWRITTEN = 10_000;

export interface WebhookFollowerOptions {
  /** Has just been given something to send. */
  readonly wake: (receivers: Iterable<string>) => void;
  /** What `run` survived. */
  readonly onFault?: (fault: unknown) => void;
}

interface Listener {
  readonly id: string;
  readonly since_seq: number;
}

interface Step {
  readonly cursor: number;
  readonly receivers: ReadonlySet<string>;
}

/**
 * Makes deliveries of `event.created` from the ledger, each event once for each webhook that selected them. The
 * deliveries and the cursor are one transaction: a crash repeats nothing and skips nothing. A power cut may take the
 * last of them back, when some were sent already: ids and bodies follow from the webhook and the event alone, so what
 * is made again is the same. Who listens is read in the transaction too, or somebody who has just registered could
 * miss their first event.
 */
export class WebhookFollower {
  /** How far it is; on disk it may be less, for nothing follows from events that nobody listens to. */
  #cursor: number | null = null;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly parts: Pick<Control, "now">,
    private readonly options: WebhookFollowerOptions,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(
      signal,
      POLL_MS,
      () => this.catchUp(),
      fault => this.options.onFault?.(fault),
    );
  }

  async catchUp(): Promise<void> {
    while (this.#cursor === null || this.ledger.newestSeq() > this.#cursor) {
      this.#cursor ??= await this.#begin();
      // Before it is asked who listens: an event that comes after it is for whoever is there by then.
      const newest = this.ledger.newestSeq();
      const step = (await hasListeners(this.database.db))
        ? await this.#step(this.#cursor)
        : { cursor: newest, receivers: new Set<string>() };
      this.#cursor = step.cursor;
      if (step.receivers.size > 0) this.options.wake(step.receivers);
      // SQLite never waits for anything: without this, nobody else would have a turn until the last event.
      await new Promise(resolve => setImmediate(resolve));
    }
  }

  /** The very first time: what happened before there were webhooks is told to nobody. */
  async #begin(): Promise<number> {
    return this.database.db.transaction().execute(async transaction => {
      await transaction
        .insertInto("cursors")
        .values({ name: WEBHOOKS_CURSOR, position: this.ledger.newestSeq() })
        .onConflict(conflict => conflict.doNothing())
        .execute();
      return this.#readCursor(transaction);
    });
  }

  async #step(cursor: number): Promise<Step> {
    return withoutSync(this.database, db =>
      db.transaction().execute(async transaction => {
        // Locked on PostgreSQL, and whoever else has moved it meanwhile is believed.
        const stored = await this.#readCursor(transaction);
        const from = Math.max(cursor, stored);
        const events = this.ledger.summariesAfter(from, EVENTS);
        const listeners = await readListeners(transaction, this.database.engine, events);
        const { rows, seq } = this.#deliveriesOf(events, listeners, from);
        await writeDeliveries(transaction, this.database.engine, rows);
        if (rows.length > 0 || seq - stored >= UNWRITTEN) await moveCursor(transaction, seq);
        return { cursor: seq, receivers: new Set(rows.map(({ receiver }) => receiver)) };
      }),
    );
  }

  #deliveriesOf(
    events: readonly EventSummary[],
    listeners: ReadonlyMap<string, readonly Listener[]>,
    from: number,
  ): { readonly rows: Delivery[]; readonly seq: number } {
    const rows: Delivery[] = [];
    let seq = from;
    const now = this.parts.now();
    for (const event of events) {
      if (rows.length >= DELIVERIES) break;
      seq = event.seq;
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
    return { rows, seq };
  }

  async #readCursor(transaction: Kysely<ControlSchema>): Promise<number> {
    const query = transaction.selectFrom("cursors").select("position").where("name", "=", WEBHOOKS_CURSOR);
    const row = await (this.database.engine === "postgres" ? query.forUpdate() : query).executeTakeFirst();
    return row?.position ?? 0;
  }
}

async function moveCursor(db: Kysely<ControlSchema>, position: number): Promise<void> {
  await db.updateTable("cursors").set({ position }).where("name", "=", WEBHOOKS_CURSOR).execute();
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
