import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { webhookKinds } from "./kinds.ts";

/** The secret is shown once, when the webhook is registered or its secret is changed. */
export const webhookResource = z
  .strictObject({
    id: z.string(),
    url: z.string(),
    events: z.array(z.enum(webhookKinds)),
    created_at: isoTime,
    updated_at: isoTime,
    enabled: z.boolean().meta({ description: "A disabled webhook is sent nothing" }),
    disabled_reason: z.string().nullable(),
    failing_since: isoTime
      .nullable()
      .meta({ description: "The first failure after the last success, or after two days without a try" }),
    previous_secret_valid_until: isoTime.nullable().meta({ description: "Until then both secrets sign" }),
  })
  .meta({ id: "Webhook" });
