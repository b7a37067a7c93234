import { budgetOperations } from "@tollgate/core/contract/budgets";
import { formatDollars } from "@tollgate/core/money/format-dollars";
import { z } from "zod";
import { cost } from "../format-amounts.ts";
import { uuid } from "../parameters.ts";
import { sets, tool } from "../tool.ts";

const fields = budgetOperations["budgets.update"].body.shape;

export const updateBudgetMode = tool({
  name: "svc_update_budget_mode",
  domain: "Budgets",
  title: "Change a budget's mode",
  description:
    "Changes how a budget is enforced, pauses it (it still counts but blocks nothing) or reactivates a paused one. Use a budget_id from svc_get_budget_status. Not for its limit or period: svc_set_budget.",
  input: z.strictObject({
    budget_id: uuid("UUID of the budget"),
    enforcement_mode: fields.enforcement_mode.meta({ description: "Default: unchanged" }),
    paused: fields.paused.meta({ description: "true pauses it, false reactivates it; default: unchanged" }),
  }),
  output: budgetOperations["budgets.update"].output,
  annotations: sets,
  run: (call, { budget_id, enforcement_mode, paused }) =>
    call("budgets.update", {
      id: budget_id,
      ...(enforcement_mode === undefined ? {} : { enforcement_mode }),
      ...(paused === undefined ? {} : { paused }),
    }),
  render(budget, { enforcement_mode, paused }) {
    const asked = enforcement_mode !== undefined || paused !== undefined;
    return `${asked ? "Changed" : "No change was requested for"} the ${budget.period} budget ${budget.id}: ${budget.enforcement_mode}, ${budget.status}; ${cost(budget.current_spending_microcents, budget.unpriced_calls)} of ${formatDollars(budget.limit_microcents)} spent.`;
  },
});
