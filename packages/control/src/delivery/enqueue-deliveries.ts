import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { Kysely } from "kysely";
import type { Control } from "../kernel/context.ts";
import type { Delivery, NewDelivery } from "./delivery.ts";
import { writeDeliveries } from "./write-deliveries.ts";

/**
 * Writes what is to be sent, in the transaction that made it true: a fact without its message, or a message without
 * its fact, never stays. Resolves with the receivers, for whom whoever commits wakes the sender.
 */
export async function enqueueDeliveries(
  db: Kysely<ControlSchema>,
  { engine, now, newId }: Pick<Control, "engine" | "now" | "newId">,
  deliveries: readonly NewDelivery[],
): Promise<readonly string[]> {
  const at = now();
  await writeDeliveries(
    db,
    engine,
    deliveries.map(delivery => pendingDelivery(newId(), delivery, at)),
  );
  return deliveries.map(({ receiver }) => receiver);
}

/** Due at once, and not tried yet. */
export function pendingDelivery(id: string, delivery: NewDelivery, at: number): Delivery {
  return {
    id,
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
    first_tried_at: null,
    created_at: at,
    finished_at: null,
  };
}
