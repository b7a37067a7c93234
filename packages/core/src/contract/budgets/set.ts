import { z } from "zod";
import { objectId } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { budgetFields } from "./fields.ts";
import { budgetResource } from "./resource.ts";

export const budgetsSet = operation({
  id: "budgets.set",
  method: "POST",
  path: "/api/budgets/set",
  summary:
    "Make the budget of an agent (or of all) and a period be as given, whether there is one yet or not; what is omitted stays",
  body: z.strictObject({
    period: budgetFields.period,
    limit_microcents: budgetFields.limit_microcents,
    warning_pct: budgetFields.warning_pct.optional().meta({ description: "Omitted: as it is; new: 80" }),
    enforcement_mode: budgetFields.enforcement_mode
      .optional()
      .meta({ description: "Omitted: as it is; new: `alert_only`" }),
    agent_id: objectId.optional().meta({ description: "Omitted: the whole organization" }),
  }),
  output: z.strictObject({
    created: z.boolean().meta({ description: "false: one was there, and was changed" }),
    budget: budgetResource,
  }),
  status: 200,
  scope: "write",
  role: "admin",
  refusals: [402],
});
