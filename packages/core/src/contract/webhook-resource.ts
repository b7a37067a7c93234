import { z } from "zod";
import { isoTime } from "./iso-time.ts";
import { webhookKinds } from "./webhook-kinds.ts";

/** The secret is shown once, when the webhook is registered. */
export const webhookResource = z
  .strictObject({
    id: z.string(),
    url: z.string(),
    events: z.array(z.enum(webhookKinds)),
    created_at: isoTime,
  })
  .meta({ id: "Webhook" });
