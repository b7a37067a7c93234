import { agentsOptimizationsApply } from "./apply.ts";
import { agentsOptimizationsList } from "./list.ts";
import { agentsOptimizationsUndo } from "./undo.ts";

export const optimizationOperations = {
  "agents.optimizations.apply": agentsOptimizationsApply,
  "agents.optimizations.list": agentsOptimizationsList,
  "agents.optimizations.undo": agentsOptimizationsUndo,
} as const;
