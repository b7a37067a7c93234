import type { outcomeOperations } from "@tollgate/core/contract/outcomes";
import type { Handlers } from "../kernel/handler.ts";
import { outcomesConfirm } from "./confirm.ts";
import { outcomesCreate } from "./create.ts";
import { outcomesGet } from "./get.ts";
import { outcomesList } from "./list.ts";

export const outcomeHandlers: Handlers<typeof outcomeOperations> = {
  "outcomes.confirm": outcomesConfirm,
  "outcomes.create": outcomesCreate,
  "outcomes.get": outcomesGet,
  "outcomes.list": outcomesList,
};
