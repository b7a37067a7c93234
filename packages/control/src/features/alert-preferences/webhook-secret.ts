import type { StoredRow } from "@tollgate/storage/database/schema";
import type { Control } from "../../kernel/context.ts";
import { newWebhookSecret, OVERLAP_MS } from "../../messaging/delivery/new-webhook-secret.ts";

export type AlertWebhookSecret = StoredRow<"alert_webhook_secrets">;

/** The signing secret of the alerts' webhook, created on first use. */
export async function alertWebhookSecret(
  { db, now }: Pick<Control, "db" | "now">,
  orgId: string,
): Promise<AlertWebhookSecret> {
  const known = await find(db, orgId);
  if (known) return known;
  await db
    .insertInto("alert_webhook_secrets")
    .values({
      org_id: orgId,
      secret: newWebhookSecret(),
      created_at: now(),
      previous_secret: null,
      previous_secret_until: null,
    })
    .onConflict(conflict => conflict.column("org_id").doNothing())
    .execute();
  const made = await find(db, orgId);
  if (!made) throw new Error("the new secret could not be read back");
  return made;
}

/** The old and the new secret both sign for a day. */
export async function rotateAlertWebhookSecret(
  { db, now }: Pick<Control, "db" | "now">,
  orgId: string,
): Promise<AlertWebhookSecret> {
  const at = now();
  const changed = await db
    .updateTable("alert_webhook_secrets")
    .set(({ ref }) => ({
      previous_secret: ref("secret"),
      previous_secret_until: at + OVERLAP_MS,
      secret: newWebhookSecret(),
      created_at: at,
    }))
    .where("org_id", "=", orgId)
    .returningAll()
    .executeTakeFirst();
  return changed ?? (await alertWebhookSecret({ db, now }, orgId));
}

async function find(db: Control["db"], orgId: string): Promise<AlertWebhookSecret | undefined> {
  return await db
    .selectFrom("alert_webhook_secrets")
    .selectAll()
    .where("org_id", "=", orgId)
    .executeTakeFirst();
}
