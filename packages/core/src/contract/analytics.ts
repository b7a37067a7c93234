import { z } from "zod";
import { optimizationTypes } from "../suggestions/suggestion-types.ts";
import { agentResource } from "./agents.ts";
import { costSums, unpricedCalls } from "./fields/cost-sums.ts";
import { isoTime } from "./fields/iso-time.ts";
import { objectId } from "./fields/object-id.ts";
import { periodResource, windowQuery } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";
import { failedCount, netValue, otherValueCents, revenueCents, roiMultiple } from "./outcomes.ts";
import { refusedCalls } from "./refusals.ts";

const measured = {
  ...costSums,
  avg_latency_ms: z.int(),
};

const cents = z.number().meta({ description: "Cents, for display: microcents ÷ 100,000" });

export const analyticsOperations = declareOperations({
  "analytics.get": {
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
      refused: refusedCalls.meta({
        description:
          "Calls that the gateway refused; they are in no other number. Counted by whole UTC hours, of the last 90 days",
      }),
    }),
    ...readAccess,
  },
  "dashboard.get": {
    method: "GET",
    path: "/api/dashboard",
    summary: "Overview of a period",
    query: z.strictObject({ days: windowQuery.days, period_days: windowQuery.period_days }),
    output: z.strictObject({
      organization_id: z.string(),
      period_days: z.int(),
      period: periodResource,
      agents: z.strictObject({
        total: z.int(),
        active: z.int(),
        idle: z.int(),
        error: z.int(),
        archived: z.int(),
      }),
      agents_list: z
        .array(
          z.strictObject({
            ...agentResource.shape,
            call_count: z.int(),
            error_count: z.int(),
            cost_microcents: z.int(),
            cost_cents: cents,
            unpriced_calls: unpricedCalls,
          }),
        )
        .meta({
          description: "Those that cost most, at most 200 of `agents.total`; all totals are of all agents",
        }),
      cost: z.strictObject({
        total_calls: z.int(),
        total_cost_microcents: z.int(),
        total_cost_cents: cents,
        unpriced_calls: unpricedCalls,
        input_tokens: z.int(),
        output_tokens: z.int(),
        error_calls: z.int(),
        error_rate: z.number(),
        avg_latency_ms: z.int(),
      }),
      top_models: z.array(z.strictObject({ provider: z.string(), model: z.string(), ...costSums })),
      budgets: z.strictObject({ total: z.int(), paused: z.int(), warning: z.int(), exceeded: z.int() }),
      alerts: z.strictObject({ triggered: z.int(), unread: z.int(), critical: z.int() }),
      attribution: z.strictObject({
        total_outcomes: z.int(),
        revenue_outcomes: z.int().meta({ description: "Those that revenue is the sum of" }),
        failed_outcomes: failedCount,
        total_revenue_cents: revenueCents,
        other_value_cents: otherValueCents,
        net_value_cents: netValue,
        roi_multiplier: roiMultiple,
      }),
      optimization: z.strictObject({
        total_savings_cents: z
          .number()
          .meta({ description: "A month, as `GET /api/suggestions` adds it up" }),
        suggestion_count: z.int(),
        suggestions_included: z
          .boolean()
          .meta({ description: "The tier lists them: `GET /api/suggestions`" }),
        top_suggestion: z.string().nullable().meta({ description: "The title of the one that saves most" }),
        applied: z
          .array(
            z.strictObject({
              optimization_id: z.string(),
              agent_id: z.string(),
              type: z.enum(optimizationTypes),
              model: z.string().nullable().meta({ description: "What calls are switched to" }),
              applied_at: isoTime,
              calls_since: z.int().meta({
                description: "Calls that it changed; of a bound or a cache: the agent's calls since",
              }),
              saved_microcents: z.int().nullable().meta({
                description:
                  "What those calls would have cost with the model asked for, less what they did; null: not known",
              }),
            }),
          )
          .meta({ description: "What is in force, newest first; at most 50" }),
      }),
      trend: z.array(z.strictObject({ date: z.string(), ...costSums })),
    }),
    ...readAccess,
  },
});
