import { z } from "zod";
import { attributionModels } from "../../attribution/attribution-models.ts";
import { objectId } from "../fields/object-id.ts";
import { periodResource } from "../fields/period-resource.ts";
import { operation } from "../operation.ts";
import { failedCount, revenueCents, valueCents } from "../outcomes/sums.ts";
import { roiDays } from "./days-query.ts";

const credit = z.strictObject({
  agent_id: z.string(),
  agent_name: z.string(),
  outcome_count: z.int(),
  contribution_value_cents: valueCents,
  revenue_cents: revenueCents,
});

export const attributionGet = operation({
  id: "attribution.get",
  method: "GET",
  path: "/api/attribution",
  summary: "Which agents the outcomes are owed to",
  query: z.strictObject({
    agent_id: objectId.optional().meta({ description: "Only what is credited to this agent" }),
    days: roiDays(1, 365),
    model: z.enum(attributionModels).default("direct"),
  }),
  output: z.strictObject({
    agent_id: z.string().nullable(),
    period_days: z.int(),
    period: periodResource,
    model: z.enum(attributionModels),
    total_outcomes: z.int(),
    failed_outcomes: failedCount,
    total_value_cents: valueCents,
    total_revenue_cents: revenueCents,
    unattributed: z
      .strictObject({ outcome_count: z.int(), value_cents: valueCents, revenue_cents: revenueCents })
      .meta({
        description: "Outcomes that name no agent and have no call in a session; with `agent_id`, none",
      }),
    outcomes: z.array(
      z.strictObject({
        outcome_type: z.string().nullable(),
        count: z.int(),
        failed_count: failedCount,
        value_cents: valueCents,
        top_attributions: z.array(credit),
      }),
    ),
    agents: z.array(credit).meta({ description: "The most valuable first; at most 200" }),
    agent_count: z.int().meta({ description: "All agents with a credit, shown or not" }),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
