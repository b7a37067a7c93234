import { modelsCompare } from "./compare.ts";

export const modelOperations = {
  "models.compare": modelsCompare,
} as const;
