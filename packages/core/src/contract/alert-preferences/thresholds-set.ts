import { z } from "zod";
import { objectId } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { alertThresholdFields, alertThresholdResource } from "./threshold-resource.ts";

export const alertsThresholdsSet = operation({
  id: "alerts.thresholds.set",
  method: "POST",
  path: "/api/alerts/thresholds",
  summary: "Act when a value is reached; the rule of the same agent, metric and action is changed",
  body: z.strictObject({
    agent_id: objectId.optional().meta({ description: "Omitted: the whole organization" }),
    ...alertThresholdFields,
  }),
  output: alertThresholdResource,
  status: 200,
  scope: "write",
  role: "admin",
});
