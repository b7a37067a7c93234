import { z } from "zod";
import { alertSeverities, alertTypes } from "../alert-types.ts";
import { isoTime } from "./iso-time.ts";
import { anyJsonObject } from "./json-object.ts";

export const alertResource = z
  .strictObject({
    id: z.string(),
    type: z.enum(alertTypes),
    triggered_at: isoTime,
    severity: z.enum(alertSeverities),
    message: z.string(),
    metadata: anyJsonObject,
    agent_id: z.string().nullable(),
    is_read: z.boolean(),
  })
  .meta({ id: "Alert" });
