import { outcomesConfirm } from "./confirm.ts";
import { outcomesCreate } from "./create.ts";
import { outcomesGet } from "./get.ts";
import { outcomesList } from "./list.ts";

export const outcomeOperations = {
  "outcomes.confirm": outcomesConfirm,
  "outcomes.create": outcomesCreate,
  "outcomes.get": outcomesGet,
  "outcomes.list": outcomesList,
} as const;
