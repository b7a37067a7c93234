import { experimentOperations } from "@tollgate/core/contract/experiments";
import { z } from "zod";
import { modelName, uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { adds, tool } from "../tool.ts";

const fields = experimentOperations["experiments.create"].body.shape;

export const createModelExperiment = tool({
  name: "svc_create_model_experiment",
  domain: "Experiments",
  title: "Create a model experiment",
  description:
    "Sends a share of an agent's calls to another model and compares cost, latency, errors or quality, with a test that stays valid however often you check it. Each session stays with one model. It changes real calls: ask the user first. An agent can have one experiment at a time. Not for a permanent switch: svc_apply_optimization.",
  input: z.strictObject({
    agent_id: uuid("UUID of the agent"),
    name: z.string().trim().min(1).max(100).meta({ description: "Name of the experiment" }),
    treatment_model: modelName("The model to try"),
    traffic_pct: z.int().min(1).max(50).default(10).meta({ description: "Percent of the calls, 1 to 50" }),
    primary_metric: fields.primary_metric.meta({ description: "What decides" }),
    max_duration_days: z
      .int()
      .min(1)
      .max(30)
      .default(14)
      .meta({ description: "It ends automatically after this many days" }),
    auto_promote: z
      .boolean()
      .default(false)
      .meta({ description: "Switch the agent's model when the treatment wins and does not fail more often" }),
  }),
  output: experimentOperations["experiments.create"].output,
  annotations: adds,
  run: (call, input) => call("experiments.create", input),
  render: one =>
    `Experiment ${quoted(one.name)} (${one.id}) is ${one.status}: ${one.traffic_pct}% of agent ${one.agent_id}'s calls go to ${quoted(one.treatment_model)} instead of ${one.control_model === null ? "its own model" : quoted(one.control_model)}, judged by ${one.primary_metric}, until ${one.ends_at}. svc_get_experiment_results shows its progress.`,
});
