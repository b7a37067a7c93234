import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { webhookDeliveryResource } from "@tollgate/core/contract/webhooks";
import { fromRow } from "@tollgate/storage/database/from-row";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { StoredRow } from "@tollgate/storage/database/schema";
import type { z } from "zod";
import type { Control } from "../../kernel/context.ts";
import type { Delivery } from "../../messaging/delivery/delivery.ts";

type AttemptRow = StoredRow<"delivery_attempts">;
type ShownDelivery = Omit<Delivery, "body">;

/** Attempts by delivery, oldest first. */
export async function readAttempts(
  { db, engine }: Pick<Control, "db" | "engine">,
  deliveries: readonly Pick<Delivery, "id">[],
): Promise<ReadonlyMap<string, readonly AttemptRow[]>> {
  const found = new Map<string, AttemptRow[]>();
  if (deliveries.length === 0) return found;
  const ids = listOfTexts(
    engine,
    deliveries.map(({ id }) => id),
  );
  const rows = await db
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("delivery_id", "in", ids)
    .orderBy("delivery_id")
    .orderBy("number")
    .execute();
  for (const row of rows) {
    const others = found.get(row.delivery_id);
    if (others) others.push(row);
    else found.set(row.delivery_id, [row]);
  }
  return found;
}

export function toWebhookDelivery(
  row: ShownDelivery,
  attempts: readonly AttemptRow[] = [],
): z.infer<typeof webhookDeliveryResource> {
  const last = attempts.at(-1);
  return {
    id: row.id,
    webhook_id: row.receiver,
    kind: row.kind,
    subject_id: row.subject_id,
    status: fromRow("deliveries", row).status,
    attempts: attempts.length,
    last_http_status: last?.http_status ?? null,
    last_error: last?.error ?? null,
    created_at: toIsoTime(row.created_at),
    next_attempt_at: row.status === "pending" ? toIsoTime(row.next_attempt_at) : null,
    finished_at: row.finished_at === null ? null : toIsoTime(row.finished_at),
  };
}
