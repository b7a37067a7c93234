import { budgetResource } from "./budget-resource.ts";
import { idParams } from "./object-id.ts";
import { operation } from "./operation.ts";

export const budgetsGet = operation({
  id: "budgets.get",
  method: "GET",
  path: "/api/budgets/:id",
  summary: "One budget",
  params: idParams,
  output: budgetResource,
  status: 200,
  scope: "read",
  role: "viewer",
});
