import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { anyJsonObject } from "../fields/json-object.ts";

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
