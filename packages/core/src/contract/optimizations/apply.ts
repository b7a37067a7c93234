import { z } from "zod";
import { jsonObject } from "../fields/json-object.ts";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { optimizationResource } from "./resource.ts";

export const agentsOptimizationsApply = operation({
  id: "agents.optimizations.apply",
  method: "POST",
  path: "/api/agents/:id/optimizations",
  summary: "Have the gateway do what a one-click suggestion says; replaces the one of the same type in force",
  params: idParams,
  body: z.strictObject({
    optimization_type: z.string().min(1).max(64).meta({
      description: "model_switch, token_guardrails or prompt_caching; such a suggestion must stand",
    }),
    payload: jsonObject.optional().meta({ description: "Overrides what the suggestion would set" }),
  }),
  output: z.strictObject({
    applied: z.literal(true),
    message: z.string(),
    optimization: optimizationResource,
  }),
  status: 200,
  scope: "write",
  role: "admin",
});
