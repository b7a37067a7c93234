import { healthGet } from "./get.ts";

export const healthOperations = {
  "health.get": healthGet,
} as const;
