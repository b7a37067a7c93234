import type { Context } from "../kernel/context.ts";
import type { BudgetRow } from "./read-budgets.ts";

export type BudgetChange = Partial<
  Pick<
    BudgetRow,
    | "limit_microcents"
    | "warning_pct"
    | "warning_is_default"
    | "enforcement_mode"
    | "strict"
    | "allow_unpriced"
    | "status"
    | "since"
  >
>;

export async function updateBudget(context: Context, id: string, change: BudgetChange): Promise<void> {
  await context.db
    .updateTable("budgets")
    .set({ ...change, updated_at: context.now() })
    .where("org_id", "=", context.scope.orgId)
    .where("mode", "=", context.scope.mode)
    .where("id", "=", id)
    .execute();
}
