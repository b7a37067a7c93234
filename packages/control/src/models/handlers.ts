import type { modelOperations } from "@tollgate/core/contract/models";
import type { Handlers } from "../kernel/handler.ts";
import { modelsCompare } from "./compare.ts";

export const modelHandlers: Handlers<typeof modelOperations> = {
  "models.compare": modelsCompare,
};
