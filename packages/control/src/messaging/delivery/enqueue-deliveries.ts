import type { ControlDb } from "@tollgate/storage/database/schema";
import type { Control } from "../../kernel/context.ts";
import type { Delivery, NewDelivery } from "./delivery.ts";
import { writeDeliveries } from "./write-deliveries.ts";

/**
 * Writes deliveries in the transaction of the fact they report, so that neither exists without the other. Resolves
 * with the receivers; wake the sender for them after the commit.
 */
export async function enqueueDeliveries(
  db: ControlDb,
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

/** Due immediately, not attempted yet. */
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
