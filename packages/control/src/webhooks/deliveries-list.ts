import { sql } from "kysely";
import type { Handler } from "../kernel/handler.ts";
import { pageByTime } from "../kernel/page-by-time.ts";
import { findWebhook } from "./find-webhook.ts";
import { readAttempts, toWebhookDelivery } from "./to-delivery.ts";

export const webhooksDeliveriesList: Handler<"webhooks.deliveries.list"> = async (context, input) => {
  const { db, scope } = context;
  const { cursor, limit } = input;
  await findWebhook(context, input.id);
  let query = db
    .selectFrom("deliveries")
    .select(["id", "org_id", "mode", "channel", "receiver", "kind", "subject_id", "status", "tries"])
    .select(["next_attempt_at", "first_tried_at", "created_at", "finished_at"])
    .where("receiver", "=", input.id)
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode);
  // Literal, not a parameter: otherwise the partial index on failed deliveries is not used.
  if (input.status !== undefined) query = query.where("status", "=", sql.lit(input.status));
  if (input.kind !== undefined) query = query.where("kind", "=", input.kind);
  if (cursor !== undefined) {
    query = query
      .where("created_at", "<=", cursor.at)
      .where(where => where.or([where("created_at", "<", cursor.at), where("id", "<", cursor.key)]));
  }
  // One extra row tells whether there is another page.
  const rows = await query
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const { shown, next_cursor } = pageByTime(rows, limit);
  const attempts = await readAttempts(context, shown);
  return {
    deliveries: shown.map(row => toWebhookDelivery(row, attempts.get(row.id))),
    next_cursor,
  };
};
