import { fail } from "@tollgate/core/errors";
import type { Handler } from "../kernel/handler.ts";
import { findWebhookDelivery } from "./find-delivery.ts";
import { readAttempts, toWebhookDelivery } from "./to-delivery.ts";

/** Starts a new round with as many attempts as a new delivery. A pending one is attempted now instead of later. */
export const webhooksDeliveriesReplay: Handler<"webhooks.deliveries.replay"> = async (context, { id }) => {
  const { scope } = context;
  const before = await findWebhookDelivery(context, id);
  if (before.disabled_at !== null) throw fail("invalid_request", "The webhook is disabled; enable it first");
  await context.db
    .updateTable("deliveries")
    .set({
      status: "pending",
      tries: 0,
      next_attempt_at: context.now(),
      first_tried_at: null,
      finished_at: null,
    })
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("id", "=", id)
    .execute();
  const row = await findWebhookDelivery(context, id);
  const attempts = await readAttempts(context, [row]);
  context.wakeSender([row.receiver]);
  return toWebhookDelivery(row, attempts.get(id));
};
