import type { Handler } from "../kernel/handler.ts";
import { notFound } from "../kernel/not-found.ts";

export const alertsAcknowledge: Handler<"alerts.acknowledge"> = async (context, input) => {
  const { db, scope } = context;
  const ids = [...new Set(input.alert_ids)];
  return await db.transaction().execute(async transaction => {
    const known = await transaction
      .selectFrom("alerts")
      .select("id")
      .where("org_id", "=", scope.orgId)
      .where("mode", "=", scope.mode)
      .where("id", "in", ids)
      .execute();
    if (known.length < ids.length) throw notFound("alert");
    await transaction
      .updateTable("alerts")
      .set({ read_at: context.now() })
      .where("org_id", "=", scope.orgId)
      .where("mode", "=", scope.mode)
      .where("id", "in", ids)
      // Acknowledging again keeps the first time.
      .where("read_at", "is", null)
      .execute();
    return { acknowledged: ids.length };
  });
};
