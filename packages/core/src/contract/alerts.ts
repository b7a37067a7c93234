import { z } from "zod";
import { alertChannels, alertSeverities, alertTypes } from "../alerts/alert-types.ts";
import { isoTime, isoTimeInput } from "./fields/iso-time.ts";
import { anyJsonObject } from "./fields/json-object.ts";
import { objectId } from "./fields/object-id.ts";
import { pageLimit } from "./fields/paging.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

export const alertResource = z
  .strictObject({
    id: z.string(),
    type: z.enum(alertTypes),
    triggered_at: isoTime,
    severity: z.enum(alertSeverities),
    message: z.string(),
    metadata: anyJsonObject.meta({
      description:
        "`kind` is the exact kind; `type` is only the nearest of five for `latency_p99`, `webhook_disabled` and `breaker`",
    }),
    agent_id: z.string().nullable(),
    is_read: z.boolean(),
    resolved_at: isoTime.nullable().meta({ description: "When the condition ended" }),
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
      .meta({ description: "Its delivery over each channel" }),
  })
  .meta({ id: "Alert" });

export const alertOperations = declareOperations({
  "alerts.acknowledge": {
    method: "PATCH",
    path: "/api/alerts",
    summary: "Mark alerts as read; if one of them does not exist, none is marked",
    body: z.strictObject({
      action: z.literal("acknowledge"),
      alert_ids: z.array(objectId).min(1).max(200),
    }),
    output: z.strictObject({ acknowledged: z.int() }),
    ...writeAccess,
  },
  "alerts.list": {
    method: "GET",
    path: "/api/alerts",
    summary: "Alerts, newest first",
    query: z.strictObject({
      limit: pageLimit(200),
      offset: z.int().min(0).default(0),
      type: z.enum(alertTypes).optional(),
      severity: z.enum(alertSeverities).optional(),
      unread_only: z.boolean().default(false),
      resolved: z.boolean().optional().meta({ description: "Only alerts that are over, or only open ones" }),
      from: isoTimeInput.optional().meta({ description: "Raised at this time or later, ISO 8601" }),
      to: isoTimeInput.optional().meta({ description: "Raised before this time, ISO 8601" }),
    }),
    output: z.strictObject({ alerts: z.array(alertResource) }),
    ...readAccess,
  },
  "alerts.test": {
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
          status: z.int().nullable().meta({ description: "The receiver's HTTP or SMTP status" }),
          answer: z.string().nullable().meta({ description: "The beginning of the receiver's answer" }),
        }),
      ),
      message: z.string().nullable().meta({ description: "Why nothing was sent; null: something was" }),
    }),
    ...writeAccess,
    minTier: "lite",
  },
});
