import { z } from "zod";
import { alertChannels, alertSeverities, alertTypes } from "../../alerts/alert-types.ts";
import { isoTime } from "../fields/iso-time.ts";
import { anyJsonObject } from "../fields/json-object.ts";

export const alertResource = z
  .strictObject({
    id: z.string(),
    type: z.enum(alertTypes),
    triggered_at: isoTime,
    severity: z.enum(alertSeverities),
    message: z.string(),
    metadata: anyJsonObject.meta({
      description:
        "`kind` says what it is, also where `type` is only the nearest of five, as for `latency_p99` and `webhook_disabled`",
    }),
    agent_id: z.string().nullable(),
    is_read: z.boolean(),
    resolved_at: isoTime.nullable().meta({ description: "When what it tells of was over" }),
    notifications: z
      .array(
        z.strictObject({
          channel: z.enum(alertChannels),
          status: z.enum(["pending", "delivered", "failed", "cancelled"]),
          attempts: z.int(),
          last_error: z.string().nullable(),
          finished_at: isoTime.nullable(),
        }),
      )
      .meta({ description: "What became of it over each channel" }),
  })
  .meta({ id: "Alert" });
