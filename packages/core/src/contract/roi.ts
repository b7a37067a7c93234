import { z } from "zod";
import { attributionModels } from "../attribution/attribution-models.ts";
import { tierNames } from "../limits/tiers.ts";
import { costSums, unpricedCalls } from "./fields/cost-sums.ts";
import { isoTime } from "./fields/iso-time.ts";
import { idParams, objectId } from "./fields/object-id.ts";
import { pageLimit } from "./fields/paging.ts";
import { periodResource } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";
import { failedCount, netValue, otherValueCents, revenueCents, roiMultiple, valueCents } from "./outcomes.ts";

/** The days back from now; clamped silently to the tier's history; the response has the effective period. */
const roiDays = (least: number, most: number) =>
  z
    .int()
    .min(least)
    .max(most)
    .default(30)
    .meta({ description: `${least} to ${most} days back from now; clamped to the tier's history` });

const credit = z.strictObject({
  agent_id: z.string(),
  agent_name: z.string(),
  outcome_count: z.int(),
  contribution_value_cents: valueCents,
  revenue_cents: revenueCents,
});

const limit = z.int().nullable().meta({ description: "null: unlimited" });

export const roiOperations = declareOperations({
  "agents.roi": {
    method: "GET",
    path: "/api/agents/:id/roi",
    summary: "Cost and outcomes of an agent",
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
          .meta({ description: "Of the calls whose cost is known; null: there are none" }),
        by_model: z.array(z.strictObject({ model: z.string(), ...costSums })),
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
    ...readAccess,
  },
  "attribution.get": {
    method: "GET",
    path: "/api/attribution",
    summary: "Credit for outcomes by agent",
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
          description: "Outcomes that name no agent and have no call in a session; 0 with `agent_id`",
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
      agents: z.array(credit).meta({ description: "Most valuable first; at most 200" }),
      agent_count: z.int().meta({ description: "Number of all agents with a credit, listed or not" }),
    }),
    ...readAccess,
  },
  "roi_audit.get": {
    method: "GET",
    path: "/api/roi-audit",
    summary: "Cost and value of the fleet, agent by agent, with methodology",
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
        .meta({ description: "Most expensive first; `limit` and `offset` select the page" }),
      methodology: z.array(z.string()).nullable().meta({ description: "null: not requested" }),
      caveats: z.array(z.string()),
    }),
    ...readAccess,
  },
  "upgrade_justification.get": {
    method: "GET",
    path: "/api/upgrade-justification",
    summary: "Whether a higher tier would pay for itself, from this organization's own numbers",
    query: z.strictObject({ days: roiDays(7, 90) }),
    output: z.strictObject({
      period_days: z.int(),
      period: periodResource,
      current_tier: z.enum(tierNames),
      recommended_tier: z.enum(tierNames).nullable().meta({ description: "null: the tier fits" }),
      already_paying: z.boolean(),
      usage: z.strictObject({
        call_count: z.int(),
        cost_microcents: z.int(),
        cost_cents: z.number(),
        unpriced_calls: unpricedCalls,
        value_cents: valueCents,
        revenue_cents: revenueCents,
        roi_multiplier: roiMultiple,
        agents: z.int(),
        budgets: z.int(),
        calls_this_month: z.int(),
        projected_calls_this_month: z.int().meta({
          description:
            "This month's calls so far, plus the rate of the last 7 days for the rest of the month",
        }),
      }),
      limits: z.array(
        z.strictObject({
          limit: z.enum(["monthly_calls", "agents", "budgets", "history_days"]),
          used: z.number().nullable(),
          allowed: limit,
          allowed_after: limit,
          is_reached: z.boolean(),
        }),
      ),
      estimated_savings_monthly_cents: z.number().nullable().meta({
        description: "Savings per 30 days of the suggestions that a paid tier shows; null: unknown",
      }),
      upgrade: z.strictObject({
        target_tier: z
          .enum(tierNames)
          .nullable()
          .meta({ description: "The recommended tier, else the next one; null: there is no higher one" }),
        price_monthly_cents: z.int().nullable().meta({ description: "null: not configured" }),
        extra_cost_monthly_cents: z
          .int()
          .nullable()
          .meta({ description: "Its price minus the current tier's" }),
        benefit_monthly_cents: z.number().nullable().meta({
          description: "Savings of the suggestions, which the free tier does not show; null: unknown",
        }),
        net_monthly_cents: z.number().nullable().meta({ description: "Benefit minus extra cost" }),
        roi_multiplier: z.number().nullable().meta({
          description: "Benefit ÷ extra cost; null: one of them is unknown, or there is no extra cost",
        }),
        note: z.string().nullable().meta({ description: "What is missing, or not counted" }),
      }),
      reasons: z.array(z.string()),
      unlocked: z.array(z.string()).meta({ description: "What the recommended tier adds" }),
    }),
    ...readAccess,
  },
});
