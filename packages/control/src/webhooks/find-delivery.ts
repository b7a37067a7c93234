import type { Delivery } from "../delivery/delivery.ts";
import type { Context } from "../kernel/context.ts";
import { notFound } from "../kernel/not-found.ts";

/** Deliveries of a deleted webhook are not found. */
export async function findWebhookDelivery(
  { db, scope }: Pick<Context, "db" | "scope">,
  id: string,
): Promise<Delivery & { readonly disabled_at: number | null }> {
  const row = await db
    .selectFrom("deliveries")
    .innerJoin("webhooks", "webhooks.id", "deliveries.receiver")
    .selectAll("deliveries")
    .select("webhooks.disabled_at")
    .where("deliveries.org_id", "=", scope.orgId)
    .where("deliveries.mode", "=", scope.mode)
    .where("deliveries.channel", "=", "webhook")
    .where("deliveries.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("delivery");
  return row;
}
