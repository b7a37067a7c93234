import { experimentOperations, type experimentResults } from "@tollgate/core/contract/experiments";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

const MAX_EXPERIMENTS = 25;

export const getExperimentResults = tool({
  name: "svc_get_experiment_results",
  domain: "Experiments",
  title: "Experiment results",
  description:
    "Experiments with their current or final results: samples of both models, the difference with its interval, whether it is significant, the winner; newest first. You may check as often as you like. Not for starting or ending one.",
  input: z.strictObject({
    agent_id: uuid("UUID of an agent; default: all").optional(),
    status: experimentOperations["experiments.list"].query.shape.status.meta({
      description: "Only this status",
    }),
  }),
  output: experimentOperations["experiments.list"].output,
  annotations: reads,
  run: (call, query) => call("experiments.list", { ...query, limit: MAX_EXPERIMENTS }),
  render({ experiments }) {
    if (experiments.length === 0) return "No experiments match.";
    return [
      `${count(experiments.length, "experiment")}, newest first (at most ${MAX_EXPERIMENTS}).`,
      ...listLines(
        experiments,
        one =>
          `${quoted(one.name)} (${one.id}): ${one.status}, ${one.control_model === null ? "own model" : quoted(one.control_model)} against ${quoted(one.treatment_model)} by ${one.primary_metric}, ${one.control_samples} and ${one.treatment_samples} samples, ${one.winner === null ? "no winner" : `winner ${one.winner}`}.${differenceOf(one.results)} ${one.results.message}`,
      ),
    ].join("\n");
  },
});

type Results = z.infer<typeof experimentResults>;

/** For the primary metric, with an interval that stays valid however often it is read. */
function differenceOf({ difference, difference_pct: pct, unit }: Results): string {
  if (difference === null) return "";
  const { value, low, high } = difference;
  const interval = low === null || high === null ? "" : `, between ${short(low)} and ${short(high)}`;
  return ` Treatment minus control: ${short(value)} ${unit}${interval}${pct === null ? "" : ` (${short(pct)}%)`}.`;
}

function short(value: number): number {
  return Number(value.toPrecision(4));
}
