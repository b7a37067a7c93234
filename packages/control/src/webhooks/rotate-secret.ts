import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { newWebhookSecret, OVERLAP_MS } from "../delivery/new-webhook-secret.ts";
import type { Handler } from "../kernel/handler.ts";
import { lockWebhook } from "./find-webhook.ts";

/** Both secrets sign for a day, so that a receiver can switch without rejecting anything. */
export const webhooksRotateSecret: Handler<"webhooks.rotate_secret"> = async (context, input) => {
  const { engine, scope } = context;
  const now = context.now();
  const secret = input.secret ?? newWebhookSecret();
  const until = await context.db.transaction().execute(async db => {
    const webhook = await lockWebhook({ db, engine, scope }, input.id);
    // A retried request must change nothing: a second rotation would drop the previous secret.
    if (webhook.secret === secret) return webhook.previous_secret_until ?? now;
    const until = now + OVERLAP_MS;
    await db
      .updateTable("webhooks")
      .set({ secret, previous_secret: webhook.secret, previous_secret_until: until, updated_at: now })
      .where("org_id", "=", scope.orgId)
      .where("mode", "=", scope.mode)
      .where("id", "=", input.id)
      .execute();
    return until;
  });
  return { id: input.id, secret, previous_secret_valid_until: toIsoTime(until) };
};
