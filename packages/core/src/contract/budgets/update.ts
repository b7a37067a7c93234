import { z } from "zod";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { budgetFields } from "./fields.ts";
import { budgetResource } from "./resource.ts";

export const budgetsUpdate = operation({
  id: "budgets.update",
  method: "PATCH",
  path: "/api/budgets/:id",
  summary: "Change or pause a budget; what is omitted stays",
  params: idParams,
  body: z.strictObject({
    limit_microcents: budgetFields.limit_microcents.optional(),
    warning_pct: budgetFields.warning_pct.optional(),
    enforcement_mode: budgetFields.enforcement_mode.optional(),
    strict: budgetFields.strict.optional(),
    allow_unpriced: budgetFields.allow_unpriced.optional(),
    paused: z.boolean().optional().meta({ description: "A paused budget is tracked, not enforced" }),
  }),
  output: budgetResource,
  status: 200,
  scope: "write",
  role: "admin",
});
