import { z } from "zod";
import { budgetResource } from "./budget-resource.ts";
import { operation } from "./operation.ts";

export const budgetsList = operation({
  id: "budgets.list",
  method: "GET",
  path: "/api/budgets",
  summary: "All budgets",
  output: z.strictObject({ budgets: z.array(budgetResource) }),
  status: 200,
  scope: "read",
  role: "viewer",
});
