import { experimentOperations } from "@tollgate/core/contract/experiments";
import { z } from "zod";
import { uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { ends, tool } from "../tool.ts";

export const stopExperiment = tool({
  name: "svc_stop_experiment",
  domain: "Experiments",
  title: "Stop an experiment",
  description:
    "Ends a running or paused experiment and keeps its results; with promote_winner, a winning treatment becomes the agent's model. It cannot be restarted. Check svc_get_experiment_results first. Not needed for an experiment that has reached its end.",
  input: z.strictObject({
    experiment_id: uuid("UUID of the experiment"),
    promote_winner: z
      .boolean()
      .default(false)
      .meta({ description: "Make the treatment the agent's model, if it won and does not fail more often" }),
  }),
  output: experimentOperations["experiments.stop"].output,
  annotations: ends,
  run: (call, { experiment_id, promote_winner }) =>
    call("experiments.stop", { id: experiment_id, promote_winner }),
  render: ({ status, promoted, message, experiment }) =>
    `Experiment ${quoted(experiment.name)} (${experiment.id}) is ${status}${promoted ? `; ${quoted(experiment.treatment_model)} is now the agent's model` : ", nothing was promoted"}. ${message}`,
});
