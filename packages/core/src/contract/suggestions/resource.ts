import { z } from "zod";
import { suggestionTypes } from "../../suggestions/suggestion-types.ts";
import { anyJsonObject } from "../fields/json-object.ts";

export const suggestionResource = z
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
