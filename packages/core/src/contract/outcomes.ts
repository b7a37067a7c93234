import { z } from "zod";
import { isoTime } from "./fields/iso-time.ts";
import { anyJsonObject, jsonObject } from "./fields/json-object.ts";
import { callerId, idParams, objectId } from "./fields/object-id.ts";
import { cursorInput, nextCursor, pageLimit } from "./fields/paging.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

export const outcomeSources = ["payments", "scheduling", "crm", "support_desk", "webhook", "manual"] as const;

export const outcomeResource = z
  .strictObject({
    id: z.string(),
    org_id: z.string(),
    name: z.string(),
    session_id: z.string().nullable(),
    agent_id: z.string().nullable(),
    event_id: z.string().nullable(),
    outcome_type: z.string().nullable(),
    source: z.enum(outcomeSources),
    success: z.boolean().nullable(),
    value_cents: z.int().nullable(),
    notes: z.string().nullable(),
    metadata: anyJsonObject,
    confirmed_by: z.string().nullable(),
    confirmed_at: isoTime.nullable(),
    related_events: z.int().meta({ description: "Events of its session, or 1 for its one event" }),
    created_at: isoTime,
  })
  .meta({ id: "Outcome" });

/** Of which revenue: outcomes of type `revenue` that did not fail. */
export const revenueCents = z.int().meta({
  description: "Sum of the outcomes of type `revenue` that were not reported with `success: false`",
});

export const valueCents = z
  .int()
  .meta({ description: "Sum of the outcomes of every type, including revenue, that did not fail" });

export const otherValueCents = z.int().meta({
  description: "Sum of the outcomes of another type or none that did not fail: savings, quality; not revenue",
});

export const failedCount = z
  .int()
  .meta({ description: "Outcomes reported with `success: false`, which count as 0 in every sum" });

export const netValue = z.number().meta({ description: "Revenue minus cost, in cents" });

export const roiMultiple = z
  .number()
  .nullable()
  .meta({ description: "Revenue ÷ cost; null: nothing was spent" });

/** Ninety thousand of them still add up exactly. */
const MAX_CENTS = 100_000_000_000;

export const outcomeValueCents = z.int().min(-MAX_CENTS).max(MAX_CENTS).meta({
  description: "Its value in cents; negative: a refund or chargeback. At most a billion dollars",
});

export const outcomeOperations = declareOperations({
  "outcomes.confirm": {
    method: "POST",
    path: "/api/outcomes/:id/confirm",
    summary: "Confirm an outcome; confirming it again changes nothing",
    params: idParams,
    body: z.strictObject({ confirmed_by: z.string().trim().min(1).max(256).optional() }),
    output: outcomeResource,
    ...writeAccess,
  },
  "outcomes.create": {
    method: "POST",
    path: "/api/outcomes",
    summary: "Report an outcome of calls",
    body: z.strictObject({
      name: z.string().trim().min(1).max(256),
      session_id: callerId.optional(),
      agent_id: objectId.optional(),
      event_id: z.string().min(1).max(256).optional(),
      outcome_type: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .meta({ description: "`revenue` counts as revenue; another type, or none, as other value" }),
      source: z.enum(outcomeSources).default("manual"),
      success: z.boolean().optional().meta({ description: "false: it failed, and counts as 0 in every sum" }),
      value_cents: outcomeValueCents.optional(),
      notes: z.string().max(4096).optional(),
      metadata: jsonObject.optional(),
    }),
    output: outcomeResource,
    status: 201,
    ...writeAccess,
  },
  "outcomes.get": {
    method: "GET",
    path: "/api/outcomes/:id",
    summary: "One outcome",
    params: idParams,
    output: outcomeResource,
    ...readAccess,
  },
  "outcomes.list": {
    method: "GET",
    path: "/api/outcomes",
    summary: "Outcomes, newest first",
    query: z.strictObject({
      session_id: callerId.optional(),
      agent_id: objectId.optional(),
      confirmed: z.boolean().optional(),
      limit: pageLimit(200),
      cursor: cursorInput.optional(),
    }),
    output: z.strictObject({ outcomes: z.array(outcomeResource), next_cursor: nextCursor }),
    ...readAccess,
  },
});
