import { verificationOperations } from "@tollgate/core/contract/verification";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getTrials = tool({
  name: "svc_get_trials",
  domain: "Loop metrics",
  title: "Registered trials",
  description:
    "Trial plans as they were registered before the first pair: regime, primary metric, margin, sample plan, models, status, the concluding verdict's id, and the plan's hash; newest first. Not for results: svc_get_verdicts.",
  input: z.strictObject({}),
  output: verificationOperations["loop_views.trials"].output,
  annotations: reads,
  run: call => call("loop_views.trials"),
  render({ trials }) {
    if (trials.length === 0) return "No trials yet. svc_verify_switch registers one.";
    return [
      `${count(trials.length, "trial")}, newest first.`,
      ...listLines(
        trials,
        trial =>
          `${trial.id}: ${trial.regime} of ${quoted(trial.prod_model)} to ${quoted(trial.candidate_model)} by ${trial.primary_metric}, margin ${trial.margin.value}, ${trial.sample_plan.min_pairs.value} to ${trial.sample_plan.max_pairs.value} pairs, ${trial.status}${trial.void_reason === null ? "" : ` (${trial.void_reason})`}${trial.verdict_id === null ? "" : `, verdict ${trial.verdict_id}`}, registered ${trial.registered_at}`,
      ),
    ].join("\n");
  },
});
