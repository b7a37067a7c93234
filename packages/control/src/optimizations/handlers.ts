import type { optimizationOperations } from "@tollgate/core/contract/optimizations";
import type { Handlers } from "../kernel/handler.ts";
import { agentsOptimizationsApply } from "./apply.ts";
import { agentsOptimizationsList } from "./list.ts";
import { agentsOptimizationsUndo } from "./undo.ts";

export const optimizationHandlers: Handlers<typeof optimizationOperations> = {
  "agents.optimizations.apply": agentsOptimizationsApply,
  "agents.optimizations.list": agentsOptimizationsList,
  "agents.optimizations.undo": agentsOptimizationsUndo,
};
