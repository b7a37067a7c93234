import type { Handler } from "../kernel/handler.ts";
import { toAlertThreshold } from "./to-threshold.ts";

export const alertsThresholdsList: Handler<"alerts.thresholds.list"> = async ({ db, scope }) => {
  const rows = await db
    .selectFrom("alert_thresholds")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return { thresholds: rows.map(toAlertThreshold) };
};
