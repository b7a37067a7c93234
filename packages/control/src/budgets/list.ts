import type { budgetsList as operation } from "@tollgate/core/contract/budgets/list";
import type { Handler } from "../kernel/handler.ts";
import { listBudgets } from "./read-budgets.ts";
import { toBudget } from "./to-budget.ts";

export const budgetsList: Handler<typeof operation> = async context => ({
  budgets: (await listBudgets(context)).map(toBudget),
});
