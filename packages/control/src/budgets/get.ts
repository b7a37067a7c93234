import type { Handler } from "../kernel/handler.ts";
import { findBudget } from "./find-budget.ts";
import { toBudget } from "./to-budget.ts";

export const budgetsGet: Handler<"budgets.get"> = async (context, { id }) =>
  toBudget(await findBudget(context, id));
