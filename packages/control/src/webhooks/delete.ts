import { cancelPending } from "../delivery/due-deliveries.ts";
import type { Handler } from "../kernel/handler.ts";
import { notFound } from "../kernel/not-found.ts";
import { resolveDisabledAlert } from "./resolve-disabled-alert.ts";

/** Nothing is sent afterwards, because every attempt reads the registration. Past deliveries are pruned later. */
export const webhooksDelete: Handler<"webhooks.delete"> = async (context, { id }) => {
  const { db, scope, now } = context;
  await db.transaction().execute(async transaction => {
    const { numDeletedRows } = await transaction
      .deleteFrom("webhooks")
      .where("org_id", "=", scope.orgId)
      .where("mode", "=", scope.mode)
      .where("id", "=", id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound("webhook");
    await resolveDisabledAlert(transaction, scope, id, now());
  });
  await cancelPending(context, id, now());
  return undefined;
};
