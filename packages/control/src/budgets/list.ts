import type { Handler } from "../kernel/handler.ts";
import { listBudgets } from "./read-budgets.ts";
import { toBudget } from "./to-budget.ts";

export const budgetsList: Handler<"budgets.list"> = async context => ({
  budgets: (await listBudgets(context)).map(toBudget),
});
