import { disableWebhook } from "@tollgate/control/features/webhooks/disable-webhook";
import type { Transports } from "@tollgate/control/kernel/transport";
import {
  createTransports,
  type OutgoingOptions,
} from "@tollgate/control/messaging/channels/create-transports";
import { bodyOf, type Delivery } from "@tollgate/control/messaging/delivery/delivery";
import { DeliverySender, type SenderOptions } from "@tollgate/control/messaging/delivery/delivery-sender";
import { writeDeliveries } from "@tollgate/control/messaging/delivery/write-deliveries";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { organizationRow } from "../rows/organization-row.ts";
import { eventually } from "../waiting/eventually.ts";
import { fakeClock } from "../waiting/fake-clock.ts";

export const SECRET = "a secret between two";
const NOON = "2026-11-15T12:00:00.000Z";

/** Only the sender, over a real database, with a manual clock: hours pass in no time. */
export async function startDeliveryLab(database: ControlDatabase, outgoing: OutgoingOptions = {}) {
  const { db, engine } = database;
  const clock = fakeClock(NOON);
  const newId = () => Bun.randomUUIDv7();
  const faults: unknown[] = [];
  const orgId = newId();
  const transports = createTransports({
    db,
    now: clock.now,
    publicUrl: "http://tollgate.test",
    allowedPrivateTargets: "127.0.0.1",
    ...outgoing,
  });
  await db
    .insertInto("organizations")
    .values(organizationRow({ id: orgId, created_at: clock.now() }))
    .execute();

  function startSender(options: Partial<SenderOptions> & { readonly transports?: Transports } = {}) {
    let stopping = new AbortController();
    const wakeSender = (receivers?: Iterable<string>) => sender.wake(receivers);
    const sender: DeliverySender = new DeliverySender(
      {
        db,
        engine,
        now: clock.now,
        transports: options.transports ?? transports,
        disableWebhook: (id, why) =>
          disableWebhook({ db, engine, now: clock.now, newId, wakeSender }, id, why),
      },
      { onFault: fault => faults.push(fault), scanEveryMs: 20, ...options },
    );
    let ended = sender.run(stopping.signal);
    return {
      wake: (receivers?: Iterable<string>) => sender.wake(receivers),
      async stop() {
        stopping.abort();
        await ended;
      },
      /** As a control plane does that leads again. */
      runAgain() {
        stopping = new AbortController();
        ended = sender.run(stopping.signal);
      },
    };
  }

  async function statuses(receiver: string): Promise<Record<string, number>> {
    const rows = await db
      .selectFrom("deliveries")
      .select(["status", ({ fn }) => fn.countAll<number>().as("count")])
      .where("receiver", "=", receiver)
      .groupBy("status")
      .execute();
    return Object.fromEntries(rows.map(row => [row.status, row.count]));
  }

  return {
    db,
    engine,
    clock,
    orgId,
    faults,
    transports,
    startSender,
    statuses,
    async webhook(url: string, events: readonly string[] = ["event.created"]): Promise<string> {
      const id = newId();
      await db
        .insertInto("webhooks")
        .values({
          id,
          org_id: orgId,
          mode: "live",
          url,
          events: JSON.stringify(events),
          secret: SECRET,
          created_at: clock.now(),
          updated_at: clock.now(),
          since_seq: 0,
          previous_secret: null,
          previous_secret_until: null,
          failing_since: null,
          disabled_at: null,
          disabled_reason: null,
        })
        .execute();
      return id;
    },
    findWebhook: (id: string) =>
      db.selectFrom("webhooks").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),
    /** Due now; resolves with the rows as written. */
    async enqueue(receiver: string, count = 1, change: Partial<Delivery> = {}): Promise<Delivery[]> {
      const at = clock.now();
      const rows = Array.from(
        { length: count },
        (_, number): Delivery => ({
          id: newId(),
          org_id: orgId,
          mode: "live",
          channel: "webhook",
          receiver,
          kind: "event.created",
          subject_id: `subject ${number}`,
          body: bodyOf("event.created", at, { id: `event ${number}`, cost_microcents: number, text: "é 💸" }),
          status: "pending",
          tries: 0,
          next_attempt_at: at,
          first_tried_at: null,
          created_at: at,
          finished_at: null,
          ...change,
        }),
      );
      await db.transaction().execute(transaction => writeDeliveries(transaction, engine, rows));
      return rows;
    },
    attempts: (id: string) =>
      db
        .selectFrom("delivery_attempts")
        .selectAll()
        .where("delivery_id", "=", id)
        .orderBy("number")
        .execute(),
    delivery: (id: string) =>
      db.selectFrom("deliveries").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),
    async until(receiver: string, status: string, count: number): Promise<void> {
      const enough = async () => (await statuses(receiver))[status] === count;
      await eventually(`${count} deliveries are ${status}`, enough);
    },
    async untilAttempts(id: string, count: number): Promise<void> {
      await eventually(`there are ${count} attempts`, async () => {
        const { tries } = await this.delivery(id);
        return (await this.attempts(id)).length === count && tries <= count;
      });
    },
  };
}

export type DeliveryLab = Awaited<ReturnType<typeof startDeliveryLab>>;
