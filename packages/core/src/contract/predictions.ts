import { z } from "zod";
import { alertSeverities } from "../alerts/alert-types.ts";
import { predictionStatuses, predictionTypes, trendDirections } from "../predictions/prediction.ts";
import { isoTime } from "./fields/iso-time.ts";
import { objectId } from "./fields/object-id.ts";
import { pageLimit } from "./fields/paging.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

export const predictionEvidence = z.strictObject({
  n: z.int().meta({ description: "Number of hours or days examined" }),
  unit: z.enum(["hour", "day"]),
  window: z.strictObject({ from: isoTime, to: isoTime }),
  tests: z.array(z.strictObject({ name: z.string(), p: z.number() })),
  p: z.number().meta({ description: "The largest of the tests' p values" }),
  adjusted_p: z
    .number()
    .meta({ description: "Corrected for all tests made at the same time (Benjamini-Hochberg)" }),
  tests_made: z.int().meta({ description: "How many it was corrected for" }),
  slope: z.number(),
  slope_unit: z.string(),
  breach_interval: z.strictObject({ earliest: isoTime, latest: isoTime.nullable() }).nullable().meta({
    description: "95 % interval; `latest` null: perhaps not within the period. Null: no interval is known",
  }),
});

export const predictionResource = z
  .strictObject({
    id: z.string(),
    prediction_type: z.enum(predictionTypes),
    agent_id: z.string().nullable().meta({ description: "Null: the whole organization" }),
    budget_id: z
      .string()
      .nullable()
      .meta({ description: "For budget_exhaustion, the budget; otherwise null" }),
    status: z.enum(predictionStatuses),
    severity: z
      .enum(alertSeverities)
      .meta({ description: "critical: expected within 24 hours; warning: within 7 days; info: later" }),
    confidence: z.number().min(0).lt(1),
    predicted_breach_at: isoTime.nullable(),
    current_value: z.number(),
    threshold_value: z.number().meta({
      description:
        "A fraction, milliseconds, microcents or calls, depending on the type; the same for current_value",
    }),
    trend_direction: z.enum(trendDirections),
    message: z.string(),
    evidence: predictionEvidence,
    recommended_actions: z.array(
      z.strictObject({
        action: z.string(),
        impact: z.enum(["low", "medium", "high"]),
        description: z.string(),
      }),
    ),
    created_at: isoTime,
    updated_at: isoTime,
    acknowledged_at: isoTime.nullable(),
    resolved_at: isoTime.nullable(),
  })
  .meta({ id: "Prediction" });

export const predictionOperations = declareOperations({
  "predictions.acknowledge": {
    method: "POST",
    path: "/api/predictions/acknowledge",
    summary: "Mark predictions as seen; resolved or unknown ones are ignored",
    body: z.strictObject({ prediction_ids: z.array(z.uuid()).min(1).max(50) }),
    output: z.strictObject({
      acknowledged: z.int().meta({ description: "How many of them are acknowledged now" }),
    }),
    ...writeAccess,
  },
  "predictions.list": {
    method: "GET",
    path: "/api/predictions",
    summary: "Predicted failures, newest first, and what lacks data for a prediction",
    query: z.strictObject({
      status: z.enum(predictionStatuses).default("active").meta({ description: "Omitted: only active ones" }),
      agent_id: objectId.optional(),
      severity: z.enum(alertSeverities).optional(),
      limit: pageLimit(200),
    }),
    output: z.strictObject({
      predictions: z.array(predictionResource),
      insufficient_data: z.array(
        z.strictObject({
          agent_id: z.string().nullable(),
          prediction_type: z.enum(predictionTypes),
          reason: z.string(),
        }),
      ),
      computed_at: isoTime
        .nullable()
        .meta({ description: "When the last analysis of these calls began; null: there was none yet" }),
    }),
    ...readAccess,
  },
});
