import { z } from "zod";
import { alertSeverities } from "../../alerts/alert-types.ts";
import { predictionStatuses, predictionTypes, trendDirections } from "../../predictions/prediction.ts";
import { isoTime } from "../fields/iso-time.ts";

export const predictionEvidence = z.strictObject({
  n: z.int().meta({ description: "Hours or days that were looked at" }),
  unit: z.enum(["hour", "day"]),
  window: z.strictObject({ from: isoTime, to: isoTime }),
  tests: z.array(z.strictObject({ name: z.string(), p: z.number() })),
  p: z.number().meta({ description: "The largest of the tests' p values" }),
  adjusted_p: z
    .number()
    .meta({ description: "Corrected for all tests of the look (Benjamini and Hochberg)" }),
  tests_made: z.int().meta({ description: "How many it was corrected for" }),
  slope: z.number(),
  slope_unit: z.string(),
  breach_interval: z
    .strictObject({ earliest: isoTime, latest: isoTime.nullable() })
    .nullable()
    .meta({ description: "95 %; null as latest: perhaps not within the period. Null: no interval is known" }),
});

export const predictionResource = z
  .strictObject({
    id: z.string(),
    prediction_type: z.enum(predictionTypes),
    agent_id: z.string().nullable().meta({ description: "Null: the whole organization" }),
    status: z.enum(predictionStatuses),
    severity: z
      .enum(alertSeverities)
      .meta({ description: "critical: expected within 24 hours; warning: within 7 days; info: later" }),
    confidence: z.number().min(0).lt(1),
    predicted_breach_at: isoTime.nullable(),
    current_value: z.number(),
    threshold_value: z.number().meta({
      description: "A fraction, milliseconds, microcents or calls, as the type says; current_value likewise",
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
