import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { webhookKinds, type webhookResource } from "@tollgate/core/contract/webhooks";
import type { StoredRow } from "@tollgate/storage/database/schema";
import { z } from "zod";

export type WebhookRow = StoredRow<"webhooks">;

const storedKinds = z.array(z.enum(webhookKinds));

export function toWebhook(row: WebhookRow, now: number): z.infer<typeof webhookResource> {
  const overlapUntil = row.previous_secret_until;
  return {
    id: row.id,
    url: row.url,
    events: kindsOf(row),
    created_at: toIsoTime(row.created_at),
    // Webhooks older than this column have never been changed.
    updated_at: toIsoTime(row.updated_at || row.created_at),
    enabled: row.disabled_at === null,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since === null ? null : toIsoTime(row.failing_since),
    previous_secret_valid_until:
      overlapUntil === null || overlapUntil <= now ? null : toIsoTime(overlapUntil),
  };
}

export function kindsOf({ events }: Pick<WebhookRow, "events">): z.infer<typeof storedKinds> {
  return storedKinds.parse(JSON.parse(events));
}
