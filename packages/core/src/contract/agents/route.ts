import { z } from "zod";
import { taskComplexities } from "../../models/route-model.ts";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const agentsRoute = operation({
  id: "agents.route",
  method: "GET",
  path: "/api/agents/:id/route",
  summary: "The model for a task of an agent, by how hard the task is",
  params: idParams,
  query: z.strictObject({
    task_complexity: z.enum(taskComplexities),
    current_model: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .meta({ description: "Omitted: what the agent has used most" }),
  }),
  output: z.strictObject({
    recommended_model: z.string(),
    provider: z.string(),
    current_model: z.string().nullable().meta({ description: "Null: the agent has called nothing yet" }),
    task_complexity: z.enum(taskComplexities),
    estimated_savings_pct: z
      .number()
      .nullable()
      .meta({ description: "Against the current model; negative: it is dearer; null: no price to compare" }),
    confidence: z.number().meta({ description: "0 to 1" }),
    reason: z.string(),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
