import { fromRow } from "@tollgate/storage/database/from-row";
import type { Context } from "../kernel/context.ts";
import { notFound } from "../kernel/not-found.ts";
import { type BudgetState, withSpending } from "./read-budgets.ts";

export async function findBudget(context: Context, id: string): Promise<BudgetState> {
  const { db, scope } = context;
  const row = await db
    .selectFrom("budgets")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("budget");
  const [budget] = await withSpending(context, [fromRow("budgets", row)]);
  if (budget === undefined) throw notFound("budget");
  return budget;
}
