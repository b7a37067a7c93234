import type { Handler } from "../kernel/handler.ts";
import { toWebhook } from "./to-webhook.ts";

export const webhooksList: Handler<"webhooks.list"> = async ({ db, scope, now }) => {
  const rows = await db
    .selectFrom("webhooks")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return { webhooks: rows.map(row => toWebhook(row, now())) };
};
