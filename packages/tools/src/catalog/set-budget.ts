import { budgetsSet } from "@tollgate/core/contract/budgets-set";
import { z } from "zod";
import { dollars } from "../format-amounts.ts";
import { microcentsOfDollars } from "../microcents-of-dollars.ts";
import { uuid } from "../parameters.ts";
import { sets, tool } from "../tool.ts";

const fields = budgetsSet.body.shape;
const HIGHEST_DOLLARS = 900_000_000;

export const setBudget = tool({
  name: "svc_set_budget",
  domain: "Budgets",
  title: "Set a budget",
  description:
    "Creates the budget of an agent (or of the whole organization) for a period, or changes the one that is there. What is omitted is set to its default, also on a budget that exists: say enforcement_mode and warning_pct again when only the limit is to change. hard_block makes the gateway refuse calls once the limit is reached; soft_block lets them pass with a warning; alert_only only alerts. Ask the user before a hard_block. Not for pausing: svc_update_budget_mode.",
  input: z.strictObject({
    agent_id: uuid("UUID of an agent; the whole organization unless given").optional(),
    period: fields.period.meta({ description: "UTC days or months" }),
    limit_dollars: z
      .number()
      .gt(0)
      .max(HIGHEST_DOLLARS)
      .refine(amount => microcentsOfDollars(amount) !== null, "must have at most 7 decimals")
      .meta({ description: "Most that may be spent in a period, in dollars, with at most 7 decimals" }),
    warning_pct: z.int().min(1).max(99).default(80).meta({ description: "Alert at this percentage" }),
    enforcement_mode: fields.enforcement_mode.default("alert_only"),
  }),
  output: budgetsSet.output,
  annotations: sets,
  run: (call, { limit_dollars, agent_id, ...rest }) =>
    call("budgets.set", {
      ...rest,
      limit_microcents: microcentsOfDollars(limit_dollars) ?? 0,
      ...(agent_id === undefined ? {} : { agent_id }),
    }),
  say: ({ created, budget }) =>
    `${created ? "Created" : "Changed"} the ${budget.period} budget ${budget.id} of ${budget.agent_id === undefined ? "the whole organization" : `agent ${budget.agent_id}`}: limit ${dollars(budget.limit_microcents)} (${budget.limit_microcents} microcents), warning at ${budget.warning_pct} %, ${budget.enforcement_mode}, ${budget.status}; spent so far ${dollars(budget.current_spending_microcents)}, resets ${budget.resets_at}.`,
});
