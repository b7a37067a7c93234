import { z } from "zod";
import { idParams } from "../fields/object-id.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { operation } from "../operation.ts";
import { optimizationResource } from "./resource.ts";

export const agentsOptimizationsList = operation({
  id: "agents.optimizations.list",
  method: "GET",
  path: "/api/agents/:id/optimizations",
  summary: "What was applied to an agent, newest first; also what was undone",
  params: idParams,
  query: z.strictObject({ limit: pageLimit(200) }),
  output: z.strictObject({ optimizations: z.array(optimizationResource) }),
  status: 200,
  scope: "read",
  role: "viewer",
});
