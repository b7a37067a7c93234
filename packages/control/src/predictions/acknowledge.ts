import type { Handler } from "../kernel/handler.ts";

export const predictionsAcknowledge: Handler<"predictions.acknowledge"> = async (context, input) => {
  const { db, scope } = context;
  const ids = [...new Set(input.prediction_ids)];
  return await db.transaction().execute(async transaction => {
    const now = context.now();
    await transaction
      .updateTable("predictions")
      .set({ status: "acknowledged", acknowledged_at: now, updated_at: now })
      .where("org_id", "=", scope.orgId)
      .where("mode", "=", scope.mode)
      .where("id", "in", ids)
      .where("status", "=", "active")
      .execute();
    const seen = await transaction
      .selectFrom("predictions")
      .select("id")
      .where("org_id", "=", scope.orgId)
      .where("mode", "=", scope.mode)
      .where("id", "in", ids)
      .where("status", "=", "acknowledged")
      .execute();
    return { acknowledged: seen.length };
  });
};
