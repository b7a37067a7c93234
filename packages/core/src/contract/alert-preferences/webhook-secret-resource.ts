import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";

export const alertsWebhookSecretResource = z
  .strictObject({
    secret: z.string(),
    created_at: isoTime,
    previous_secret_until: isoTime
      .nullable()
      .meta({ description: "Until then the one before signs too; null: there is none" }),
  })
  .meta({ id: "AlertWebhookSecret" });
