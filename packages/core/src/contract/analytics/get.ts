import { z } from "zod";
import { costSums } from "../fields/cost-sums.ts";
import { objectId } from "../fields/object-id.ts";
import { periodResource } from "../fields/period-resource.ts";
import { unpricedCalls } from "../fields/unpriced-calls.ts";
import { windowQuery } from "../fields/window-query.ts";
import { operation } from "../operation.ts";

const measured = {
  ...costSums,
  avg_latency_ms: z.int(),
};

export const analyticsGet = operation({
  id: "analytics.get",
  method: "GET",
  path: "/api/analytics",
  summary: "Calls, cost, latency and errors of the organization or of one agent",
  query: z.strictObject({ ...windowQuery, agent_id: objectId.optional() }),
  output: z.strictObject({
    summary: z.strictObject({
      total_calls: z.int(),
      total_cost_microcents: z.int(),
      unpriced_calls: unpricedCalls,
      avg_latency_ms: z.int(),
      error_rate: z.number().meta({ description: "A decimal fraction: 0.25 is one call of four" }),
      period: periodResource,
    }),
    by_model: z.array(z.strictObject({ model: z.string(), ...measured })),
    trend: z.array(z.strictObject({ date: z.string(), ...measured })),
    percentiles: z
      .strictObject({
        p50_ms: z.number().nullable(),
        p95_ms: z.number().nullable(),
        p99_ms: z.number().nullable(),
      })
      .meta({
        description:
          "Of the latency, by nearest rank; null without calls. Exact up to 1,000 calls; above, within a bucket that ends at 1.55 times its start",
      }),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
