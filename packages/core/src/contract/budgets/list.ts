import { z } from "zod";
import { operation } from "../operation.ts";
import { budgetResource } from "./resource.ts";

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
