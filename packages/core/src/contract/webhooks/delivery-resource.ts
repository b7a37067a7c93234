import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { webhookKinds } from "./kinds.ts";

export const deliveryStatuses = ["pending", "delivered", "failed", "cancelled"] as const;

/** Those that can be selected, and what `POST /api/webhooks/:id/test` sends. */
export const deliveredKinds = [...webhookKinds, "webhook.test"] as const;

export const webhookDeliveryResource = z
  .strictObject({
    id: z.string().meta({ description: "The receiver's `webhook-id`, the same at every try" }),
    webhook_id: z.string(),
    kind: z.string(),
    subject_id: z.string().meta({ description: "The event, outcome or alert that it tells of" }),
    status: z.enum(deliveryStatuses),
    attempts: z.int().meta({ description: "All that were made, replays included" }),
    last_http_status: z.int().nullable(),
    last_error: z.string().nullable(),
    created_at: isoTime,
    next_attempt_at: isoTime.nullable().meta({ description: "null: it is not tried again" }),
    finished_at: isoTime.nullable(),
  })
  .meta({ id: "WebhookDelivery" });

export const webhookAttemptResource = z
  .strictObject({
    number: z.int(),
    started_at: isoTime,
    duration_ms: z.int(),
    http_status: z.int().nullable().meta({ description: "null: there was no answer" }),
    error: z.string().nullable().meta({ description: "null: it arrived" }),
    answer: z.string().nullable().meta({ description: "The first part of what was answered" }),
  })
  .meta({ id: "WebhookAttempt" });
