import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { budgetResource } from "./resource.ts";

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
