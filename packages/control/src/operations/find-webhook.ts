import type { Context } from "../context.ts";
import { notFound } from "./not-found.ts";
import type { WebhookRow } from "./to-webhook.ts";

export async function findWebhook(
  { db, scope }: Pick<Context, "db" | "scope">,
  id: string,
): Promise<WebhookRow> {
  const row = await db
    .selectFrom("webhooks")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("webhook");
  return row;
}
