import { z } from "zod";
import { thresholdActions, thresholdMetrics } from "../../alerts/threshold.ts";
import { isoTime } from "../fields/iso-time.ts";

export const alertThresholdFields = {
  metric: z.enum(thresholdMetrics),
  threshold_value: z.number().gt(0).max(1_000_000_000_000).meta({
    description: "Costs in cents, an error rate as a decimal of at most 1, latency in milliseconds",
  }),
  action: z.enum(thresholdActions),
};

export const alertThresholdResource = z
  .strictObject({
    id: z.string(),
    agent_id: z.string().nullable().meta({ description: "null: the whole organization" }),
    ...alertThresholdFields,
    created_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: "AlertThreshold" });
