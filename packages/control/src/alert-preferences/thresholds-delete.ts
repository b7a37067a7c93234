import type { alertsThresholdsDelete as operation } from "@tollgate/core/contract/alert-preferences/thresholds-delete";
import type { Handler } from "../kernel/handler.ts";
import { notFound } from "../kernel/not-found.ts";

export const alertsThresholdsDelete: Handler<typeof operation> = async ({ db, scope }, { id }) => {
  const { numDeletedRows } = await db
    .deleteFrom("alert_thresholds")
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("id", "=", id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound("threshold");
};
