import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { webhookSecret } from "./secret.ts";

export const webhooksRotateSecret = operation({
  id: "webhooks.rotate_secret",
  method: "POST",
  path: "/api/webhooks/:id/rotate-secret",
  summary: "Sign with another secret, for a day also with the one before; the new one is shown this once",
  params: idParams,
  body: z.strictObject({
    secret: webhookSecret.optional().meta({ description: "Made for you unless given" }),
  }),
  output: z.strictObject({ id: z.string(), secret: z.string(), previous_secret_valid_until: isoTime }),
  status: 200,
  scope: "write",
  role: "admin",
});
