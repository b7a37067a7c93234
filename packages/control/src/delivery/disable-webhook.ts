import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import { raiseAlert } from "../alerts/raise-alert.ts";
import type { Control } from "../context.ts";
import { cancelPending } from "./due-deliveries.ts";

export const FAILING_TOO_LONG_MS = 5 * 86_400_000;

/** What an open alert of a disabled webhook is known by; it is resolved when somebody enables or deletes it. */
export function disabledRuleKey(webhookId: string): string {
  return `webhook_disabled:${webhookId}`;
}

/**
 * The receiver wants no more, or has failed for too long: nothing is sent to it until somebody enables it. Being
 * disabled and the alert that tells of it are one transaction. What was still to be sent is cancelled after it.
 */
export async function disableWebhook(
  parts: Pick<Control, "db" | "now" | "newId" | "wakeSender">,
  webhookId: string,
  reason: string,
): Promise<void> {
  const webhook = await parts.db
    .selectFrom("webhooks")
    .select(["org_id", "mode", "url"])
    .where("id", "=", webhookId)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  if (webhook === undefined) return;
  const now = parts.now();
  const { host } = new URL(webhook.url);
  const draft: AlertDraft = {
    ruleKey: disabledRuleKey(webhookId),
    period: new Date(now).toISOString(),
    type: "error_rate",
    severity: "critical",
    message: `The webhook to ${host} was disabled: ${reason}`,
    // The host alone: the rest of an address may be a secret.
    metadata: { kind: "webhook_disabled", webhook_id: webhookId, host, reason },
    agentId: null,
    notify: "preferences",
  };
  const scope = { orgId: webhook.org_id, mode: webhook.mode === "test" ? "test" : "live" } as const;
  await raiseAlert(parts, scope, draft, async transaction => {
    await transaction
      .updateTable("webhooks")
      .set({ disabled_at: now, disabled_reason: reason, updated_at: now })
      .where("id", "=", webhookId)
      .execute();
  });
  await cancelPending(parts.db, webhookId, now);
}
