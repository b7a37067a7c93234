import { toIsoTime } from "@tollgate/core/contract/iso-time";
import type { webhooksRotateSecret as operation } from "@tollgate/core/contract/webhooks-rotate-secret";
import { findWebhook } from "./find-webhook.ts";
import type { Handler } from "./handler.ts";
import { newWebhookSecret } from "./new-webhook-secret.ts";

const OVERLAP_MS = 86_400_000;

/** Both secrets sign for a day, so that a receiver can change over without refusing anything. */
export const webhooksRotateSecret: Handler<typeof operation> = async (context, input) => {
  const { scope } = context;
  const now = context.now();
  const secret = input.secret ?? newWebhookSecret();
  const until = now + OVERLAP_MS;
  await context.db.transaction().execute(async db => {
    const webhook = await findWebhook({ db, scope }, input.id);
    await db
      .updateTable("webhooks")
      .set({ secret, previous_secret: webhook.secret, previous_secret_until: until, updated_at: now })
      .where("org_id", "=", scope.orgId)
      .where("mode", "=", scope.mode)
      .where("id", "=", input.id)
      .execute();
  });
  return { id: input.id, secret, previous_secret_valid_until: toIsoTime(until) };
};
