import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { periodResource } from "../fields/period-resource.ts";
import { unpricedCalls } from "../fields/unpriced-calls.ts";
import { operation } from "../operation.ts";
import {
  failedCount,
  netValue,
  otherValueCents,
  revenueCents,
  roiMultiple,
  valueCents,
} from "../outcomes/sums.ts";
import { roiDays } from "./days-query.ts";

export const roiAuditGet = operation({
  id: "roi_audit.get",
  method: "GET",
  path: "/api/roi-audit",
  summary: "Cost and value of the fleet, agent by agent, with how it was computed",
  query: z.strictObject({
    days: roiDays(7, 365),
    include_methodology: z.boolean().default(true),
    agent_ids: z
      .string()
      .max(8000)
      .optional()
      .meta({ description: "Ids separated by commas; omitted: the whole fleet" }),
    limit: pageLimit(500, 200, "Agents of a page, the summary is of all"),
    offset: z.int().min(0).max(1_000_000).default(0),
  }),
  output: z.strictObject({
    generated_at: isoTime,
    period_days: z.int(),
    period: periodResource,
    fleet_summary: z.strictObject({
      total_agents: z.int(),
      total_calls: z.int(),
      total_cost_microcents: z.int(),
      total_cost_cents: z.number(),
      unpriced_calls: unpricedCalls,
      total_outcomes: z.int(),
      failed_outcomes: failedCount,
      total_revenue_cents: revenueCents,
      other_value_cents: otherValueCents,
      net_value_cents: netValue,
      net_roi_multiplier: roiMultiple,
    }),
    agents: z
      .array(
        z.strictObject({
          agent_id: z.string(),
          agent_name: z.string(),
          call_count: z.int(),
          error_rate: z.number(),
          cost_microcents: z.int(),
          cost_cents: z.number(),
          unpriced_calls: unpricedCalls,
          outcome_count: z.int(),
          failed_count: failedCount,
          value_cents: valueCents,
          revenue_cents: revenueCents,
          roi_multiplier: roiMultiple,
          risk_flags: z.array(z.enum(["no_outcomes", "negative_roi", "high_error_rate", "no_calls"])),
        }),
      )
      .meta({ description: "The most expensive first; `limit` and `offset` choose which" }),
    methodology: z.array(z.string()).nullable().meta({ description: "null where it was not asked for" }),
    caveats: z.array(z.string()),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
