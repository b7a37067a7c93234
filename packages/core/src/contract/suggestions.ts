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
    impact_monthly_cents: z
      .number()
      .meta({ description: "What it would save in 30 days at the current rate" }),
    savings_pct: z
      .number()
      .nullable()
      .meta({ description: "Percent of the agent's cost; null: it has none" }),
    confidence: z
      .number()
      .meta({ description: "0 to 1, from the number of calls and days of data and the method of detection" }),
    evidence: anyJsonObject.meta({
      description: "The numbers that it was derived from, with units in their names",
    }),
    caveat: z.string().nullable(),
    one_click: z.boolean().meta({ description: "The gateway can apply it: see `implementation`" }),
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
      suggestions: z.array(suggestionResource).meta({ description: "Largest impact first; at most 200" }),
      suggestion_count: z.int().meta({ description: "Number of all suggestions, listed or not" }),
      total_monthly_savings_cents: z.number().meta({
        description: "If several suggestions would save the same money of an agent, only the best one counts",
      }),
      total_attributed_revenue_cents: z
        .int()
        .optional()
        .meta({ description: "Revenue credited to the examined agents within the period" }),
      checks_run: z
        .array(z.enum(suggestionTypes))
        .meta({ description: "Types of suggestions that were looked for" }),
      agents_examined: z.int(),
      agents_left_out: z.int().meta({
        description: "In a fleet of more than 1,000 agents, only the most expensive ones are examined",
      }),
      insufficient_data: z
        .array(z.strictObject({ agent_id: z.string(), agent_name: z.string(), reason: z.string() }))
        .meta({ description: "Agents with too little data for a suggestion; at most 50" }),
      insufficient_data_count: z.int(),
      period: periodResource,
      computed_at: isoTime,
    }),
    ...readAccess,
    minTier: "lite",
  },
});
