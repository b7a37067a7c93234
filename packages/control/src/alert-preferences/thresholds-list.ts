import type { alertsThresholdsList as operation } from "@tollgate/core/contract/alert-preferences/thresholds-list";
import type { Handler } from "../kernel/handler.ts";
import { toAlertThreshold } from "./to-threshold.ts";

export const alertsThresholdsList: Handler<typeof operation> = async ({ db, scope }) => {
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
