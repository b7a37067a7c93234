import { alertSeverities } from "@tollgate/core/alerts/alert-types";
import { predictionOperations } from "@tollgate/core/contract/predictions";
import { predictionStatuses } from "@tollgate/core/predictions/prediction";
import { z } from "zod";
import { count, percent } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getFailurePredictions = tool({
  name: "svc_get_failure_predictions",
  domain: "Alerts",
  title: "Failure predictions",
  description:
    "What is about to go wrong, from trends of the last days: error rate, latency, cost overrun, rate limit, budget exhaustion; each with its time, confidence, evidence and recommended action. If there is too little data for a prediction, the answer says so. Not for what has already happened: svc_get_alerts.",
  input: z.strictObject({
    agent_id: uuid("UUID of an agent; default: all").optional(),
    severity: z.enum(alertSeverities).optional().meta({ description: "Only this severity" }),
    status: z.enum(predictionStatuses).default("active").meta({ description: "Only this status" }),
  }),
  output: predictionOperations["predictions.list"].output,
  annotations: reads,
  run: (call, query) => call("predictions.list", query),
  render({ predictions, insufficient_data }, { status }) {
    const unknown =
      insufficient_data.length > 0
        ? [`Not enough data for ${count(insufficient_data.length, "check")} (see insufficient_data).`]
        : [];
    if (predictions.length === 0) return [`No ${status} predictions.`, ...unknown].join("\n");
    return [
      `${count(predictions.length, `${status} prediction`)}.`,
      ...listLines(
        predictions,
        one =>
          `${one.severity} ${one.prediction_type}, ${one.agent_id === null ? "whole organization" : `agent ${one.agent_id}`}, expected ${one.predicted_breach_at ?? "at an unknown time"}, confidence ${percent(one.confidence)}: ${quoted(one.message)}${one.recommended_actions[0] ? ` To do: ${one.recommended_actions[0].description}` : ""}`,
      ),
      ...unknown,
    ].join("\n");
  },
});
