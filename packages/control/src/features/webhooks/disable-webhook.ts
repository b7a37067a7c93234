import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { type Scope, toScope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import type { DisableReason } from "../../messaging/delivery/delivery-sender.ts";
import { raiseAlert } from "../alerts/raise-alert.ts";

/** Identifies the open alert of a disabled webhook; enabling or deleting the webhook resolves it. */
function disabledRuleKey(webhookId: string): string {
  return `webhook_disabled:${webhookId}`;
}

/**
 * The receiver answered 410, or has failed for too long: nothing is sent until somebody enables it. Disabling it and
 * the alert about it are one transaction. A registration changed after the attempt began is left alone, because the
 * answer came from another address. Resolves with when it was disabled; null: it was not.
 */
export async function disableWebhook(
  parts: Pick<Control, "db" | "engine" | "now" | "newId" | "wakeSender">,
  webhookId: string,
  { reason, triedAt }: DisableReason,
): Promise<number | null> {
  const webhook = await parts.db
    .selectFrom("webhooks")
    .select(["org_id", "mode", "url"])
    .where("id", "=", webhookId)
    .where("disabled_at", "is", null)
    .where("updated_at", "<=", triedAt)
    .executeTakeFirst();
  if (webhook === undefined) return null;
  const now = parts.now();
  const { host } = new URL(webhook.url);
  const draft: AlertDraft = {
    ruleKey: disabledRuleKey(webhookId),
    period: new Date(now).toISOString(),
    type: "error_rate",
    severity: "critical",
    message: `The webhook to ${host} was disabled: ${reason}`,
    // Only the host: the rest of an address may be a secret.
    metadata: { kind: "webhook_disabled", webhook_id: webhookId, host, reason },
    agentId: null,
    notify: "preferences",
  };
  try {
    await raiseAlert(parts, toScope(webhook), draft, async transaction => {
      const { numUpdatedRows } = await transaction
        .updateTable("webhooks")
        .set({ disabled_at: now, disabled_reason: reason, updated_at: now })
        .where("id", "=", webhookId)
        .where("disabled_at", "is", null)
        .where("updated_at", "<=", triedAt)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new ConcurrentChange();
    });
  } catch (fault) {
    if (fault instanceof ConcurrentChange) return null;
    throw fault;
  }
  return now;
}

/** Thrown to roll back the alert as well. */
class ConcurrentChange extends Error {}

/** Resolves the alert about a disabled webhook once somebody has dealt with the webhook. */
export async function resolveDisabledAlert(
  db: ControlDb,
  scope: Scope,
  webhookId: string,
  now: number,
): Promise<void> {
  await db
    .updateTable("alerts")
    .set({ resolved_at: now })
    .where(inScope(scope))
    .where("rule_key", "=", disabledRuleKey(webhookId))
    .where("resolved_at", "is", null)
    .execute();
}
