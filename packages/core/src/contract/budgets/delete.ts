import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const budgetsDelete = operation({
  id: "budgets.delete",
  method: "DELETE",
  path: "/api/budgets/:id",
  summary: "Remove a budget",
  params: idParams,
  status: 204,
  scope: "write",
  role: "admin",
});
