import { z } from "zod";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const webhooksTest = operation({
  id: "webhooks.test",
  method: "POST",
  path: "/api/webhooks/:id/test",
  summary: "Send a test event now, and tell what the receiver answered",
  params: idParams,
  output: z.strictObject({
    delivery_id: z.string(),
    delivered: z.boolean(),
    http_status: z.int().nullable(),
    error: z.string().nullable(),
    answer: z.string().nullable(),
    duration_ms: z.int(),
  }),
  status: 200,
  scope: "write",
  role: "admin",
});
