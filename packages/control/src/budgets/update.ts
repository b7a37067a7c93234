import type { Handler } from "../kernel/handler.ts";
import { findBudget } from "./find-budget.ts";
import { toBudget } from "./to-budget.ts";
import { updateBudget } from "./write-budget.ts";

export const budgetsUpdate: Handler<"budgets.update"> = async (context, input) => {
  const { id, limit_microcents, warning_pct, enforcement_mode, strict, allow_unpriced, paused } = input;
  await findBudget(context, id);
  await updateBudget(context, id, {
    ...(limit_microcents === undefined ? {} : { limit_microcents }),
    ...(warning_pct === undefined ? {} : { warning_pct, warning_is_default: 0 }),
    ...(enforcement_mode === undefined ? {} : { enforcement_mode }),
    ...(strict === undefined ? {} : { strict: strict ? 1 : 0 }),
    ...(allow_unpriced === undefined ? {} : { allow_unpriced: allow_unpriced ? 1 : 0 }),
    ...(paused === undefined ? {} : { status: paused ? "paused" : "active" }),
  });
  return toBudget(await findBudget(context, id));
};
