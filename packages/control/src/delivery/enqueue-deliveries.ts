import type { ControlSchema } from "@tollgate/storage/control/schema";
import type { Kysely } from "kysely";
import type { Control } from "../context.ts";
import type { NewDelivery } from "./delivery.ts";

/** Rows of one statement; PostgreSQL takes 65,535 values in all. */
const ROWS = 500;

/**
 * Writes what is to be sent, in the transaction that made it true: a fact without its message, or a message without
 * its fact, never stays. Whoever commits wakes the sender.
 */
export async function enqueueDeliveries(
  db: Kysely<ControlSchema>,
  { now, newId }: Pick<Control, "now" | "newId">,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const at = now();
  for (let from = 0; from < deliveries.length; from += ROWS) {
    await db
      .insertInto("deliveries")
      .values(
        deliveries.slice(from, from + ROWS).map(delivery => ({
          id: newId(),
          org_id: delivery.orgId,
          mode: delivery.mode,
          channel: delivery.channel,
          receiver: delivery.receiver,
          kind: delivery.kind,
          subject_id: delivery.subjectId,
          body: delivery.body,
          status: "pending",
          tries: 0,
          next_attempt_at: at,
          created_at: at,
          finished_at: null,
        })),
      )
      .execute();
  }
}
