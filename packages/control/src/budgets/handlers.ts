import type { budgetOperations } from "@tollgate/core/contract/budgets";
import type { Handlers } from "../kernel/handler.ts";
import { budgetsCreate } from "./create.ts";
import { budgetsDelete } from "./delete.ts";
import { budgetsGet } from "./get.ts";
import { budgetsList } from "./list.ts";
import { budgetsResume } from "./resume.ts";
import { budgetsSet } from "./set.ts";
import { budgetsStatus } from "./status.ts";
import { budgetsUpdate } from "./update.ts";

export const budgetHandlers: Handlers<typeof budgetOperations> = {
  "budgets.create": budgetsCreate,
  "budgets.delete": budgetsDelete,
  "budgets.get": budgetsGet,
  "budgets.list": budgetsList,
  "budgets.resume": budgetsResume,
  "budgets.set": budgetsSet,
  "budgets.status": budgetsStatus,
  "budgets.update": budgetsUpdate,
};
