import { z } from "zod";
import { objectId } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { optimizationResource } from "./resource.ts";

export const agentsOptimizationsUndo = operation({
  id: "agents.optimizations.undo",
  method: "DELETE",
  path: "/api/agents/:id/optimizations/:optimization_id",
  summary: "Take back what was applied to an agent; a second time changes nothing",
  params: z.strictObject({ id: objectId, optimization_id: objectId }),
  output: z.strictObject({ undone: z.literal(true), optimization: optimizationResource }),
  status: 200,
  scope: "write",
  role: "admin",
});
