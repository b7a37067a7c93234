import type { alertsWebhookSecretResource } from "@tollgate/core/contract/alert-preferences";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { z } from "zod";
import type { AlertWebhookSecret } from "./webhook-secret.ts";

export function toAlertWebhookSecret(
  row: AlertWebhookSecret,
  now: number,
): z.input<typeof alertsWebhookSecretResource> {
  const until = row.previous_secret_until;
  return {
    secret: row.secret,
    created_at: toIsoTime(row.created_at),
    previous_secret_until: until !== null && now < until ? toIsoTime(until) : null,
  };
}
