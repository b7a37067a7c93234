import { z } from "zod";
import { alertChannels } from "../../alerts/alert-types.ts";
import { operation } from "../operation.ts";

export const alertsTest = operation({
  id: "alerts.test",
  method: "POST",
  path: "/api/alerts/test",
  summary: "Send a test notification to the configured channels",
  body: z.strictObject({}),
  output: z.strictObject({
    channels: z.array(
      z.strictObject({
        channel: z.enum(alertChannels),
        delivered: z.boolean(),
        error: z.string().nullable(),
        status: z.int().nullable().meta({ description: "What the receiver answered, of HTTP or SMTP" }),
        answer: z.string().nullable().meta({ description: "The beginning of its words" }),
      }),
    ),
    message: z.string().nullable().meta({ description: "Why nothing was sent; null: something was" }),
  }),
  status: 200,
  scope: "write",
  role: "admin",
  minTier: "lite",
});
