import { z } from "zod";
import { objectId } from "./object-id.ts";
import { operation } from "./operation.ts";

export const suggestionsList = operation({
  id: "suggestions.list",
  method: "GET",
  path: "/api/suggestions",
  summary: "How cost could be saved",
  query: z.strictObject({ agent_id: objectId.optional() }),
  output: z.strictObject({
    suggestions: z.array(
      z.strictObject({
        type: z.string(),
        title: z.string(),
        description: z.string(),
        agent_id: z.string().nullable(),
        impact_monthly_cents: z.number(),
        confidence: z.number(),
      }),
    ),
    checks_run: z.array(z.string()).meta({ description: "What was looked for; empty: nothing was" }),
    total_monthly_savings_cents: z.number(),
    suggestion_count: z.int(),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
  minTier: "lite",
});
