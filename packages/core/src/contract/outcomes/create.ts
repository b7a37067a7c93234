import { z } from "zod";
import { jsonObject } from "../fields/json-object.ts";
import { callerId, objectId } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { outcomeResource, outcomeSources } from "./resource.ts";

/** Ninety thousand of them still add up exactly. */
const MOST_CENTS = 100_000_000_000;

export const outcomeValueCents = z.int().min(-MOST_CENTS).max(MOST_CENTS).meta({
  description: "What it is worth, in cents; negative: a refund or a chargeback. At most a billion dollars",
});

export const outcomesCreate = operation({
  id: "outcomes.create",
  method: "POST",
  path: "/api/outcomes",
  summary: "Report what calls have led to",
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
    success: z
      .boolean()
      .optional()
      .meta({ description: "false: it failed, and is worth nothing in any sum" }),
    value_cents: outcomeValueCents.optional(),
    notes: z.string().max(4096).optional(),
    metadata: jsonObject.optional(),
  }),
  output: outcomeResource,
  status: 201,
  scope: "write",
  role: "admin",
});
