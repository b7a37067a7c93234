import { z } from "zod";
import { alertSeverities } from "../../alerts/alert-types.ts";
import { predictionStatuses, predictionTypes } from "../../predictions/prediction.ts";
import { isoTime } from "../fields/iso-time.ts";
import { objectId } from "../fields/object-id.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { operation } from "../operation.ts";
import { predictionResource } from "./resource.ts";

export const predictionsList = operation({
  id: "predictions.list",
  method: "GET",
  path: "/api/predictions",
  summary: "Failures that are coming, newest first, and what too little is known of to say",
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
      .meta({ description: "When the last look at these calls began; null: there was none yet" }),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
