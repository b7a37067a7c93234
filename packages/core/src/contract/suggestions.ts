import { z } from "zod";
import { suggestionTypes } from "../suggestions/suggestion-types.ts";
import { isoTime } from "./fields/iso-time.ts";
import { anyJsonObject } from "./fields/json-object.ts";
import { objectId } from "./fields/object-id.ts";
import { periodResource, windowQuery } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";

const suggestionResource = z
  .strictObject({
    type: z.enum(suggestionTypes),
    title: z.string(),
    description: z.string(),
    agent_id: z.string().nullable(),
    agent_name: z.string().nullable(),
    impact_monthly_cents: z.number().meta({ description: "What it would save in 30 days at this rate" }),
    savings_pct: z
      .number()
      .nullable()
      .meta({ description: "Of what the agent costs; null: it costs nothing" }),
    confidence: z
      .number()
      .meta({ description: "0 to 1: by how many calls and days stand behind it, and how it was found" }),
    evidence: anyJsonObject.meta({ description: "The numbers it follows from, units in their names" }),
    caveat: z.string().nullable(),
    one_click: z.boolean().meta({ description: "The gateway can do it: `implementation` says how" }),
    implementation: z
      .strictObject({ endpoint: z.string(), payload: anyJsonObject })
      .nullable()
      .meta({ description: "The request that applies it; null unless `one_click`" }),
    is_revenue: z.boolean().optional().meta({ description: "The impact is revenue, not a saving" }),
    attributed_revenue_cents: z
      .int()
      .optional()
      .meta({ description: "Revenue credited to the agent, within the period" }),
  })
  .meta({ id: "Suggestion" });

export const suggestionOperations = declareOperations({
  "suggestions.list": {
    method: "GET",
    path: "/api/suggestions",
    summary: "Suggestions for reducing cost",
    query: z.strictObject({
      agent_id: objectId.optional().meta({ description: "Omitted: all agents" }),
      include_revenue: z
        .boolean()
        .default(true)
        .meta({ description: "false: without `is_revenue` and attributed revenue" }),
      days: windowQuery.days,
      period_days: windowQuery.period_days,
    }),
    output: z.strictObject({
      suggestions: z.array(suggestionResource).meta({ description: "Greatest impact first; at most 200" }),
      suggestion_count: z.int().meta({ description: "All of them, shown or not" }),
      total_monthly_savings_cents: z
        .number()
        .meta({ description: "Of several that save the same money of one agent only the best counts" }),
      total_attributed_revenue_cents: z
        .int()
        .optional()
        .meta({ description: "Revenue credited to the agents looked at, within the period" }),
      checks_run: z.array(z.enum(suggestionTypes)).meta({ description: "What was looked for" }),
      agents_examined: z.int(),
      agents_left_out: z
        .int()
        .meta({ description: "Of a fleet of more than 1,000 agents those that cost most are examined" }),
      insufficient_data: z
        .array(z.strictObject({ agent_id: z.string(), agent_name: z.string(), reason: z.string() }))
        .meta({ description: "Agents that too little is known of to say anything; at most 50" }),
      insufficient_data_count: z.int(),
      period: periodResource,
      computed_at: isoTime,
    }),
    ...readAccess,
    minTier: "lite",
  },
});
