import type { alertResource } from "@tollgate/core/contract/alerts";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { EnumValue, StoredRow } from "@tollgate/storage/database/schema";
import type { z } from "zod";
import { readMetadata } from "../../kernel/read-metadata.ts";

export type AlertRow = StoredRow<"alerts">;
type Resource = z.infer<typeof alertResource>;
export type AlertNotification = Resource["notifications"][number];

export function toAlert(row: AlertRow, notifications: AlertNotification[]): Resource {
  const { type, severity } = fromRow("alerts", row);
  return {
    id: row.id,
    type,
    triggered_at: toIsoTime(row.triggered_at),
    severity,
    message: row.message,
    // `type` has only the five values of the API; `kind` names the exact rule.
    metadata: { kind: type, ...readMetadata(row.metadata) },
    agent_id: row.agent_id,
    is_read: row.read_at !== null,
    resolved_at: row.resolved_at === null ? null : toIsoTime(row.resolved_at),
    notifications,
  };
}

/** The public name of a delivery's channel. */
export function channelOf(
  channel: Exclude<EnumValue<"deliveries", "channel">, "webhook">,
): AlertNotification["channel"] {
  return channel === "alert_webhook" ? "webhook" : channel;
}
