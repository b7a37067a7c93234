import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { webhookOperations } from "@tollgate/core/contract/webhooks";
import { fail } from "@tollgate/core/errors";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { sql } from "kysely";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { readPageByTime } from "../../kernel/read-page-by-time.ts";
import type { Delivery } from "../../messaging/delivery/delivery.ts";
import { cancelPending } from "../../messaging/delivery/due-deliveries.ts";
import { newWebhookSecret, OVERLAP_MS } from "../../messaging/delivery/new-webhook-secret.ts";
import { resolveDisabledAlert } from "./disable-webhook.ts";
import { findWebhook, lockWebhook } from "./find-webhook.ts";
import { webhooksRegister } from "./register.ts";
import { webhooksReplay } from "./replay.ts";
import { webhooksTest } from "./send-test.ts";
import { readAttempts, toWebhookDelivery } from "./to-delivery.ts";
import { toWebhook } from "./to-webhook.ts";
import { webhooksUpdate } from "./update.ts";

export const webhookHandlers: Handlers<typeof webhookOperations> = {
  /** Nothing is sent afterwards, because every attempt reads the registration. Past deliveries are pruned later. */
  "webhooks.delete": async (context, { id }) => {
    const { db, scope, now } = context;
    await db.transaction().execute(async transaction => {
      const { numDeletedRows } = await transaction
        .deleteFrom("webhooks")
        .where(inScope(scope))
        .where("id", "=", id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound("webhook");
      await resolveDisabledAlert(transaction, scope, id, now());
    });
    await cancelPending(context, id, now());
  },

  "webhooks.list": async ({ db, scope, now }) => {
    const rows = await db
      .selectFrom("webhooks")
      .selectAll()
      .where(inScope(scope))
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    return { webhooks: rows.map(row => toWebhook(row, now())) };
  },

  "webhooks.register": webhooksRegister,

  "webhooks.deliveries.get": async (context, { id }) => {
    const row = await findWebhookDelivery(context, id);
    const attempts = (await readAttempts(context, [row])).get(id) ?? [];
    return {
      ...toWebhookDelivery(row, attempts),
      body: row.body,
      attempt_log: attempts.map(({ number, started_at, duration_ms, http_status, error, answer }) => ({
        number,
        started_at: toIsoTime(started_at),
        duration_ms,
        http_status,
        error,
        answer,
      })),
    };
  },

  "webhooks.deliveries.list": async (context, input) => {
    const { db, scope } = context;
    await findWebhook(context, input.id);
    let query = db
      .selectFrom("deliveries")
      .select(["id", "org_id", "mode", "channel", "receiver", "kind", "subject_id", "status", "tries"])
      .select(["next_attempt_at", "first_tried_at", "created_at", "finished_at"])
      .where("receiver", "=", input.id)
      .where(inScope(scope));
    // Literal, not a parameter: otherwise the partial index on failed deliveries is not used.
    if (input.status !== undefined) query = query.where("status", "=", sql.lit(input.status));
    if (input.kind !== undefined) query = query.where("kind", "=", input.kind);
    const { shown, next_cursor } = await readPageByTime(query, input);
    const attempts = await readAttempts(context, shown);
    return {
      deliveries: shown.map(row => toWebhookDelivery(row, attempts.get(row.id))),
      next_cursor,
    };
  },

  /** Starts a new round with as many attempts as a new delivery. A pending one is attempted now instead of later. */
  "webhooks.deliveries.replay": async (context, { id }) => {
    const { scope } = context;
    const before = await findWebhookDelivery(context, id);
    if (before.disabled_at !== null)
      throw fail("invalid_request", "The webhook is disabled; enable it first");
    await context.db
      .updateTable("deliveries")
      .set({
        status: "pending",
        tries: 0,
        next_attempt_at: context.now(),
        first_tried_at: null,
        finished_at: null,
      })
      .where(inScope(scope))
      .where("id", "=", id)
      .execute();
    const row = await findWebhookDelivery(context, id);
    const attempts = await readAttempts(context, [row]);
    context.wakeSender([row.receiver]);
    return toWebhookDelivery(row, attempts.get(id));
  },

  "webhooks.get": async (context, { id }) => toWebhook(await findWebhook(context, id), context.now()),

  "webhooks.replay": webhooksReplay,

  /** Both secrets sign for a day, so that a receiver can switch without rejecting anything. */
  "webhooks.rotate_secret": async (context, input) => {
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
        .where(inScope(scope))
        .where("id", "=", input.id)
        .execute();
      return until;
    });
    return { id: input.id, secret, previous_secret_valid_until: toIsoTime(until) };
  },

  "webhooks.test": webhooksTest,
  "webhooks.update": webhooksUpdate,
};

/** Deliveries of a deleted webhook are not found. */
async function findWebhookDelivery(
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
