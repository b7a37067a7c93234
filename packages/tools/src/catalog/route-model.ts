import { agentOperations } from "@tollgate/core/contract/agents";
import { z } from "zod";
import { percent, saving } from "../format-amounts.ts";
import { modelName, uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const routeModel = tool({
  name: "svc_route_model",
  domain: "Optimization",
  title: "Route to a model",
  description:
    "Which model a task of an agent should use, by how hard the task is, with the saving against the current model. Use it before a call whose difficulty you know. It changes nothing; svc_apply_optimization switches a model for all calls. Not for a catalogue: svc_compare_models lists models side by side.",
  input: z.strictObject({
    agent_id: uuid("UUID of the agent"),
    task_complexity: agentOperations["agents.route"].query.shape.task_complexity.meta({
      description: "How hard the task is",
    }),
    current_model: modelName("The model in use; what the agent has used most unless given").optional(),
  }),
  output: agentOperations["agents.route"].output,
  annotations: reads,
  run: (call, { agent_id, ...query }) => call("agents.route", { id: agent_id, ...query }),
  say({
    recommended_model,
    provider,
    current_model,
    task_complexity,
    estimated_savings_pct,
    confidence,
    reason,
  }) {
    const compared = estimated_savings_pct === null ? "saving unknown" : saving(estimated_savings_pct);
    return `For a task of ${task_complexity} complexity: ${quoted(recommended_model)} (${provider}); current ${current_model === null ? "unknown" : quoted(current_model)}; ${compared}, confidence ${percent(confidence)}. ${reason}`;
  },
});
