import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Handler } from "../../kernel/handler.ts";
import { cancelPending } from "../../messaging/delivery/due-deliveries.ts";
import { resolveDisabledAlert } from "./disable-webhook.ts";
import { lockWebhook } from "./find-webhook.ts";
import { kindsOf, toWebhook, type WebhookRow } from "./to-webhook.ts";

export const webhooksUpdate: Handler<"webhooks.update"> = async (context, input) => {
  const { engine, scope } = context;
  context.targetGuard.refuseAtRegistration("url", input.url);
  const now = context.now();
  const { before, after } = await context.db.transaction().execute(async db => {
    const before = await lockWebhook({ db, engine, scope }, input.id);
    const isEnabled = input.enabled ?? before.disabled_at === null;
    const changed: WebhookRow = {
      ...before,
      url: input.url ?? before.url,
      events: input.events === undefined ? before.events : JSON.stringify([...new Set(input.events)]),
      updated_at: now,
      ...(isEnabled
        ? { disabled_at: null, disabled_reason: null }
        : {
            disabled_at: before.disabled_at ?? now,
            disabled_reason: before.disabled_reason ?? "it was disabled manually",
          }),
    };
    const after: WebhookRow = {
      ...changed,
      // A newly selected kind starts now; earlier events are not sent.
      since_seq:
        listens(changed) && !listens(before) ? await context.readModel.newestSeq() : before.since_seq,
      // A new address, or a newly enabled webhook, has no failures yet.
      failing_since:
        changed.url !== before.url || (isEnabled && before.disabled_at !== null)
          ? null
          : before.failing_since,
    };
    await db
      .updateTable("webhooks")
      .set({
        url: after.url,
        events: after.events,
        updated_at: after.updated_at,
        disabled_at: after.disabled_at,
        disabled_reason: after.disabled_reason,
        since_seq: after.since_seq,
        failing_since: after.failing_since,
      })
      .where(inScope(scope))
      .where("id", "=", input.id)
      .execute();
    if (isEnabled && before.disabled_at !== null) await resolveDisabledAlert(db, scope, input.id, now);
    return { before, after };
  });
  if (after.disabled_at !== null && before.disabled_at === null) {
    await cancelPending(context, after.id, now);
  }
  return toWebhook(after, now);
};

function listens(row: WebhookRow): boolean {
  return row.disabled_at === null && kindsOf(row).includes("event.created");
}
