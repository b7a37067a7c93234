import { z } from "zod";
import { operation } from "../operation.ts";
import { alertThresholdResource } from "./threshold-resource.ts";

export const alertsThresholdsList = operation({
  id: "alerts.thresholds.list",
  method: "GET",
  path: "/api/alerts/thresholds",
  summary: "Threshold rules, oldest first",
  output: z.strictObject({ thresholds: z.array(alertThresholdResource) }),
  status: 200,
  scope: "read",
  role: "viewer",
});
