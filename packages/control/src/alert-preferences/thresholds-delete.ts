import type { Handler } from "../kernel/handler.ts";
import { notFound } from "../kernel/not-found.ts";

export const alertsThresholdsDelete: Handler<"alerts.thresholds.delete"> = async ({ db, scope }, { id }) => {
  const { numDeletedRows } = await db
    .deleteFrom("alert_thresholds")
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("id", "=", id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound("threshold");
};
