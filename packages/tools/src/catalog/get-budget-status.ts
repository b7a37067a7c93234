import { plusUnpriced } from "@tollgate/core/alerts/plus-unpriced";
import { budgetOperations } from "@tollgate/core/contract/budgets";
import { exactDollars } from "@tollgate/core/money/exact-dollars";
import { z } from "zod";
import { budgetOwner } from "../budget-owner.ts";
import { cost, count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { reads, tool } from "../tool.ts";

export const getBudgetStatus = tool({
  name: "svc_get_budget_status",
  domain: "Budgets",
  title: "Budget status",
  description:
    "The status of every budget: limit, spend, percentage used, enforcement mode, next reset. Use it before setting or changing a budget, and to find a budget_id. Amounts are microcents: $1 is 10,000,000. Not for spend without a budget: svc_get_cost_summary.",
  input: z.strictObject({}),
  output: budgetOperations["budgets.status"].output,
  annotations: reads,
  run: call => call("budgets.status"),
  render({ budgets, total_spending_microcents, unpriced_calls, alerts_triggered }) {
    const month = `Spent this UTC month: ${cost(total_spending_microcents, unpriced_calls)}; alerts of all kinds: ${alerts_triggered}.`;
    if (budgets.length === 0) return `No budgets. ${month} svc_set_budget creates one.`;
    return [
      `${count(budgets.length, "budget")}. ${month}`,
      ...listLines(
        budgets,
        budget =>
          `${budget.id} (${budget.period}, ${budgetOwner(budget)}): ${exactDollars(budget.current_spending_microcents)} of ${exactDollars(budget.limit_microcents)} (${budget.percentage_used}%)${plusUnpriced(budget.unpriced_calls)}, ${budget.enforcement_mode}, ${budget.status}, resets ${budget.resets_at}`,
        50,
      ),
    ].join("\n");
  },
});
