import type { budgetsList as operation } from "@tollgate/core/contract/budgets/list";
import type { Handler } from "./handler.ts";
import { listBudgets } from "./list-budgets.ts";
import { toBudget } from "./to-budget.ts";

export const budgetsList: Handler<typeof operation> = async context => ({
  budgets: (await listBudgets(context)).map(toBudget),
});
