import type { budgetsGet as operation } from "@tollgate/core/contract/budgets/get";
import type { Handler } from "../kernel/handler.ts";
import { findBudget } from "./find-budget.ts";
import { toBudget } from "./to-budget.ts";

export const budgetsGet: Handler<typeof operation> = async (context, { id }) =>
  toBudget(await findBudget(context, id));
