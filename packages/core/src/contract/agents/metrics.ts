import { z } from "zod";
import { costSums } from "../fields/cost-sums.ts";
import { idParams } from "../fields/object-id.ts";
import { periodResource } from "../fields/period-resource.ts";
import { unpricedCalls } from "../fields/unpriced-calls.ts";
import { windowQuery } from "../fields/window-query.ts";
import { operation } from "../operation.ts";

export const agentsMetrics = operation({
  id: "agents.metrics",
  method: "GET",
  path: "/api/agents/:id/metrics",
  summary: "An agent's calls, tokens and cost",
  params: idParams,
  query: z.strictObject({
    ...windowQuery,
    group_by: z.enum(["day", "week", "month"]).default("day").meta({
      description: "The label of a group is its first day: a Monday, or the first of a month",
    }),
  }),
  output: z.strictObject({
    agent_id: z.string(),
    period: periodResource,
    totals: z.strictObject({
      call_count: z.int(),
      input_tokens: z.int(),
      output_tokens: z.int(),
      cost_microcents: z.int(),
      unpriced_calls: unpricedCalls,
    }),
    by_model: z.array(
      z.strictObject({
        model: z.string(),
        ...costSums,
      }),
    ),
    by_day: z.array(
      z.strictObject({
        date: z.string(),
        ...costSums,
      }),
    ),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
