import { z } from "zod";
import { operation } from "../operation.ts";

export const predictionsAcknowledge = operation({
  id: "predictions.acknowledge",
  method: "POST",
  path: "/api/predictions/acknowledge",
  summary: "Mark predictions as seen; those that are resolved, or not the organization's, are left alone",
  body: z.strictObject({ prediction_ids: z.array(z.uuid()).min(1).max(50) }),
  output: z.strictObject({
    acknowledged: z.int().meta({ description: "How many of them are acknowledged now" }),
  }),
  status: 200,
  scope: "write",
  role: "admin",
});
