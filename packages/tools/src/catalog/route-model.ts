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
    "Which model an agent should use for a task, depending on its difficulty, with the saving compared with the current model. Use it before a call whose difficulty you know. It changes nothing; svc_apply_optimization switches the model for all calls. Not a catalogue: svc_compare_models lists models side by side.",
  input: z.strictObject({
    agent_id: uuid("UUID of the agent"),
    task_complexity: agentOperations["agents.route"].query.shape.task_complexity.meta({
      description: "How hard the task is",
    }),
    current_model: modelName("The model in use; default: the agent's most used model").optional(),
  }),
  output: agentOperations["agents.route"].output,
  annotations: reads,
  run: (call, { agent_id, ...query }) => call("agents.route", { id: agent_id, ...query }),
  render({
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
