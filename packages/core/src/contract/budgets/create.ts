import { z } from "zod";
import { objectId } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { budgetFields } from "./fields.ts";
import { budgetResource } from "./resource.ts";

export const budgetsCreate = operation({
  id: "budgets.create",
  method: "POST",
  path: "/api/budgets",
  summary: "Set a budget; it starts at 0",
  body: z.strictObject({
    period: budgetFields.period,
    limit_microcents: budgetFields.limit_microcents,
    warning_pct: budgetFields.warning_pct.optional().meta({
      description: "Omitted: `budget_warning_threshold_pct` of the alert preferences, 80 unless set",
    }),
    enforcement_mode: budgetFields.enforcement_mode,
    strict: budgetFields.strict.default(false),
    allow_unpriced: budgetFields.allow_unpriced.default(false),
    agent_id: objectId.optional().meta({ description: "Omitted: the whole organization" }),
  }),
  output: budgetResource,
  status: 201,
  scope: "write",
  role: "admin",
  refusals: [402],
});
