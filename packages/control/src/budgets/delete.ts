import type { Handler } from "../kernel/handler.ts";
import { notFound } from "../kernel/not-found.ts";

export const budgetsDelete: Handler<"budgets.delete"> = async ({ db, scope }, { id }) => {
  const { numDeletedRows } = await db
    .deleteFrom("budgets")
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("id", "=", id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound("budget");
  return undefined;
};
