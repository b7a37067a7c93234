import { z } from "zod";
import { costSums } from "../fields/cost-sums.ts";
import { idParams } from "../fields/object-id.ts";
import { periodResource } from "../fields/period-resource.ts";
import { unpricedCalls } from "../fields/unpriced-calls.ts";
import { operation } from "../operation.ts";
import { failedCount, netValue, revenueCents, roiMultiple, valueCents } from "../outcomes/sums.ts";
import { roiDays } from "./days-query.ts";

export const agentsRoi = operation({
  id: "agents.roi",
  method: "GET",
  path: "/api/agents/:id/roi",
  summary: "What an agent has cost, and what it has led to",
  params: idParams,
  query: z.strictObject({ days: roiDays(1, 365) }),
  output: z.strictObject({
    agent_id: z.string(),
    agent_name: z.string(),
    period_days: z.int(),
    period: periodResource,
    costs: z.strictObject({
      call_count: z.int(),
      total_microcents: z.int(),
      unpriced_calls: unpricedCalls,
      avg_per_request_microcents: z
        .number()
        .nullable()
        .meta({ description: "Of the calls whose cost is known; null where there is none" }),
      by_model: z.array(
        z.strictObject({
          model: z.string(),
          ...costSums,
        }),
      ),
    }),
    outcomes: z.strictObject({
      count: z.int(),
      failed_count: failedCount,
      total_value_cents: valueCents,
      revenue_cents: revenueCents,
      by_type: z.array(
        z.strictObject({
          outcome_type: z.string().nullable(),
          count: z.int(),
          failed_count: failedCount,
          value_cents: valueCents,
        }),
      ),
    }),
    net_value_cents: netValue,
    roi_multiplier: roiMultiple,
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
