import { budgetFields, budgetOperations } from "@tollgate/core/contract/budgets";
import { formatDollars } from "@tollgate/core/money/format-dollars";
import { z } from "zod";
import { budgetOwner } from "../budget-owner.ts";
import { cost } from "../format-amounts.ts";
import { microcentsOfDollars } from "../microcents-of-dollars.ts";
import { uuid } from "../parameters.ts";
import { sets, tool } from "../tool.ts";

const fields = budgetOperations["budgets.set"].body.shape;
const HIGHEST_DOLLARS = 900_000_000;

export const setBudget = tool({
  name: "svc_set_budget",
  domain: "Budgets",
  title: "Set a budget",
  description:
    "Creates the budget of an agent, an API key, a customer or the whole organization for a period, or changes an existing one. An existing budget keeps the values of omitted parameters; the defaults are for a new one. hard_block makes the gateway refuse calls once the limit is reached; soft_block lets them pass with a warning; alert_only only alerts. Ask the user before a hard_block. Not for pausing: svc_update_budget_mode.",
  input: z.strictObject({
    agent_id: uuid("UUID of an agent; default: the whole organization").optional(),
    key_id: uuid("UUID of an API key, instead of an agent").optional(),
    customer_id: fields.customer_id.meta({
      description: "A customer's id as calls send it, instead of an agent",
    }),
    period: fields.period.meta({ description: "UTC days or months" }),
    limit_dollars: z
      .number()
      .gt(0)
      .max(HIGHEST_DOLLARS)
      .meta({ description: "Maximum spend per period in dollars, with at most 7 decimals" })
      .transform((amount, context) => {
        const limitMicrocents = microcentsOfDollars(amount);
        if (limitMicrocents !== null) return limitMicrocents;
        context.addIssue("must have at most 7 decimals");
        return z.NEVER;
      }),
    // The web API applies the defaults, because it knows whether the budget is new; these are only documentation.
    warning_pct: z
      .int()
      .min(1)
      .max(99)
      .optional()
      .meta({ default: 80, description: "Alert at this percentage; an existing budget keeps its own" }),
    enforcement_mode: budgetFields.enforcement_mode.optional().meta({
      default: "alert_only",
      description: "What happens at the limit; an existing budget keeps its own",
    }),
  }),
  output: budgetOperations["budgets.set"].output,
  annotations: sets,
  run: (
    call,
    { limit_dollars: limitMicrocents, agent_id, key_id, customer_id, period, warning_pct, enforcement_mode },
  ) =>
    call("budgets.set", {
      period,
      limit_microcents: limitMicrocents,
      ...(agent_id === undefined ? {} : { agent_id }),
      ...(key_id === undefined ? {} : { key_id }),
      ...(customer_id === undefined ? {} : { customer_id }),
      ...(warning_pct === undefined ? {} : { warning_pct }),
      ...(enforcement_mode === undefined ? {} : { enforcement_mode }),
    }),
  render: ({ created, budget }) =>
    `${created ? "Created" : "Changed"} the ${budget.period} budget ${budget.id} of ${budgetOwner(budget)}: limit ${formatDollars(budget.limit_microcents)} (${budget.limit_microcents} microcents), warning at ${budget.warning_pct}%, ${budget.enforcement_mode}, ${budget.status}; spent so far ${cost(budget.current_spending_microcents, budget.unpriced_calls)}, resets ${budget.resets_at}.`,
});
