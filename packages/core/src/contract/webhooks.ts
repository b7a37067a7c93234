import { z } from "zod";
import { isoTime, isoTimeInput } from "./fields/iso-time.ts";
import { idParams, objectId } from "./fields/object-id.ts";
import { outgoingUrl } from "./fields/outgoing-url.ts";
import { cursorInput, nextCursor, pageLimit } from "./fields/paging.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

/** The events that a webhook can subscribe to. */
export const webhookKinds = [
  "event.created",
  "outcome.confirmed",
  "alert.triggered",
  "budget.exceeded",
] as const;

/** What deliveries are signed with: any text. */
const webhookSecret = z.string().min(1).max(1024);

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
    failing_since: isoTime.nullable().meta({
      description: "The first failure after the last success, or after two days without an attempt",
    }),
    previous_secret_valid_until: isoTime
      .nullable()
      .meta({ description: "Until then deliveries are signed with both secrets" }),
  })
  .meta({ id: "Webhook" });

export const deliveryStatuses = ["pending", "delivered", "failed", "cancelled"] as const;

/** Those that can be selected, and what `POST /api/webhooks/:id/test` sends. */
const deliveredKinds = [...webhookKinds, "webhook.test"] as const;

export const webhookDeliveryResource = z
  .strictObject({
    id: z.string().meta({ description: "The header `webhook-id`, the same in every attempt" }),
    webhook_id: z.string(),
    kind: z.string(),
    subject_id: z.string().meta({ description: "The event, outcome or alert that it reports" }),
    status: z.enum(deliveryStatuses),
    attempts: z.int().meta({ description: "All attempts, including those of replays" }),
    last_http_status: z.int().nullable(),
    last_error: z.string().nullable(),
    created_at: isoTime,
    next_attempt_at: isoTime.nullable().meta({ description: "null: there are no more attempts" }),
    finished_at: isoTime.nullable(),
  })
  .meta({ id: "WebhookDelivery" });

const webhookAttemptResource = z
  .strictObject({
    number: z.int(),
    started_at: isoTime,
    duration_ms: z.int(),
    http_status: z.int().nullable().meta({ description: "null: there was no answer" }),
    error: z.string().nullable().meta({ description: "null: it was delivered" }),
    answer: z.string().nullable().meta({ description: "The beginning of the receiver's answer" }),
  })
  .meta({ id: "WebhookAttempt" });

const { id, url, events, created_at } = webhookResource.shape;

export const webhookOperations = declareOperations({
  "webhooks.delete": {
    method: "DELETE",
    path: "/api/webhooks/:id",
    summary: "Delete a webhook",
    params: idParams,
    ...writeAccess,
  },
  "webhooks.list": {
    method: "GET",
    path: "/api/webhooks",
    summary: "Registered webhooks, without their secrets",
    output: z.strictObject({ webhooks: z.array(webhookResource) }),
    ...readAccess,
  },
  "webhooks.register": {
    method: "POST",
    path: "/api/webhooks/generic/:orgId",
    summary: "Register a URL for events, signed with a secret",
    params: z.strictObject({ orgId: objectId }),
    body: z.strictObject({
      url: outgoingUrl,
      events: z.array(z.enum(webhookKinds)).min(1).max(webhookKinds.length),
      secret: webhookSecret,
    }),
    output: z.strictObject({ id, url, events, created_at, secret: z.string() }),
    status: 201,
    ...writeAccess,
  },
  "webhooks.deliveries.get": {
    method: "GET",
    path: "/api/webhooks/deliveries/:id",
    summary: "One delivery, its body and every attempt",
    params: idParams,
    output: z.strictObject({
      ...webhookDeliveryResource.shape,
      body: z.string().meta({ description: "The exact text that is sent and signed" }),
      attempt_log: z.array(webhookAttemptResource),
    }),
    ...readAccess,
  },
  "webhooks.deliveries.list": {
    method: "GET",
    path: "/api/webhooks/:id/deliveries",
    summary: "Deliveries of a webhook, newest first; kept for 30 days after they end",
    params: idParams,
    query: z.strictObject({
      status: z.enum(deliveryStatuses).optional(),
      kind: z.enum(deliveredKinds).optional(),
      limit: pageLimit(200),
      cursor: cursorInput.optional(),
    }),
    output: z.strictObject({ deliveries: z.array(webhookDeliveryResource), next_cursor: nextCursor }),
    ...readAccess,
  },
  "webhooks.deliveries.replay": {
    method: "POST",
    path: "/api/webhooks/deliveries/:id/replay",
    summary: "Send one delivery again, with the same id and bytes and a new round of attempts",
    params: idParams,
    output: webhookDeliveryResource,
    ...writeAccess,
  },
  "webhooks.get": {
    method: "GET",
    path: "/api/webhooks/:id",
    summary: "One webhook, without its secret",
    params: idParams,
    output: webhookResource,
    ...readAccess,
  },
  "webhooks.replay": {
    method: "POST",
    path: "/api/webhooks/:id/replay",
    summary: "Send all deliveries of a time range again, with the same ids and bytes",
    params: idParams,
    body: z.strictObject({
      from: isoTimeInput,
      to: isoTimeInput,
      status: z
        .enum(["delivered", "failed", "cancelled"])
        .optional()
        .meta({ description: "Only deliveries that ended with this status; omitted: all that have ended" }),
    }),
    output: z.strictObject({ replayed: z.int() }),
    ...writeAccess,
  },
  "webhooks.rotate_secret": {
    method: "POST",
    path: "/api/webhooks/:id/rotate-secret",
    summary:
      "Replace the signing secret; for a day deliveries are signed with both, and the new one is shown only once",
    params: idParams,
    body: z.strictObject({
      secret: webhookSecret.optional().meta({ description: "Omitted: a new one is generated" }),
    }),
    output: z.strictObject({ id: z.string(), secret: z.string(), previous_secret_valid_until: isoTime }),
    ...writeAccess,
  },
  "webhooks.test": {
    method: "POST",
    path: "/api/webhooks/:id/test",
    summary: "Send a test event now and return the receiver's answer",
    params: idParams,
    output: z.strictObject({
      delivery_id: z.string(),
      delivered: z.boolean(),
      http_status: z.int().nullable(),
      error: z.string().nullable(),
      answer: z.string().nullable(),
      duration_ms: z.int(),
    }),
    ...writeAccess,
  },
  "webhooks.update": {
    method: "PATCH",
    path: "/api/webhooks/:id",
    summary: "Change, disable or enable a webhook; omitted fields stay unchanged",
    params: idParams,
    body: z.strictObject({
      url: outgoingUrl.optional(),
      events: z.array(z.enum(webhookKinds)).min(1).max(webhookKinds.length).optional(),
      enabled: z
        .boolean()
        .optional()
        .meta({ description: "false cancels pending deliveries; true delivers events from now on" }),
    }),
    output: webhookResource,
    ...writeAccess,
  },
});
