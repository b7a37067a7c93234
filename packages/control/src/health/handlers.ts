import type { PublicHandlers } from "../kernel/handler.ts";
import { healthGet } from "./get.ts";

export const healthHandlers: PublicHandlers = {
  "health.get": healthGet,
};
