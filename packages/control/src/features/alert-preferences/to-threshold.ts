import { addressIn } from "@tollgate/core/alerts/address-in";
import type { AlertPreferences } from "@tollgate/core/alerts/preferences";
import type { alertThresholdResource } from "@tollgate/core/contract/alert-preferences";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { StoredRow } from "@tollgate/storage/database/schema";
import type { z } from "zod";

export type AlertThresholdRow = StoredRow<"alert_thresholds">;

export function toAlertThreshold(
  row: AlertThresholdRow,
  preferences: AlertPreferences,
): z.infer<typeof alertThresholdResource> {
  const { metric, action } = fromRow("alert_thresholds", row);
  return {
    id: row.id,
    agent_id: row.agent_id,
    metric,
    threshold_value: row.threshold_value,
    action,
    has_address: action === "pause_agent" || addressIn(preferences, action) !== null,
    created_at: toIsoTime(row.created_at),
    updated_at: toIsoTime(row.updated_at),
  };
}
