import { jsonObject } from "@tollgate/core/contract/fields/json-object";
import { optimizationOperations } from "@tollgate/core/contract/optimizations";
import { z } from "zod";
import { uuid } from "../parameters.ts";
import { sets, tool } from "../tool.ts";

export const applyOptimization = tool({
  name: "svc_apply_optimization",
  domain: "Optimization",
  title: "Apply an optimization",
  description:
    "Makes the gateway apply a suggestion with one_click true: cap output tokens, switch the agent's model, add cache hints. It changes real calls within a second and can be undone in the web API. Only for suggestions of svc_get_optimization_recommendations (Lite tier and above) that are marked one_click; ask the user first. Not for trying a model on some of the calls: use svc_create_model_experiment.",
  input: z.strictObject({
    agent_id: uuid("UUID of the agent"),
    optimization_type: z.string().min(1).max(64).meta({
      description: "The suggestion's type, such as token_guardrails, model_switch or prompt_caching",
    }),
    payload: jsonObject
      .optional()
      .meta({ description: 'Overrides values of the suggestion, such as {"model": "gpt-4o-mini"}' }),
  }),
  output: optimizationOperations["agents.optimizations.apply"].output,
  annotations: sets,
  run: (call, { agent_id, optimization_type, payload }) =>
    call("agents.optimizations.apply", {
      id: agent_id,
      optimization_type,
      ...(payload === undefined ? {} : { payload }),
    }),
  render: ({ message, optimization }) =>
    `Applied ${optimization.optimization_type} to agent ${optimization.agent_id}: ${message.replace(/[.]$/, "")}. Its id is ${optimization.id}; DELETE /api/agents/${optimization.agent_id}/optimizations/${optimization.id} undoes it.`,
});
