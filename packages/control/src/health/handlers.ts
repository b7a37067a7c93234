import type { healthOperations } from "@tollgate/core/contract/health/operations";
import type { PublicHandlers } from "../kernel/handler.ts";
import { healthGet } from "./get.ts";

export const healthHandlers: PublicHandlers<typeof healthOperations> = {
  "health.get": healthGet,
};
