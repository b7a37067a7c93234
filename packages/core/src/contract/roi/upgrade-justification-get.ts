import { z } from "zod";
import { tierNames } from "../../limits/tiers.ts";
import { periodResource } from "../fields/period-resource.ts";
import { unpricedCalls } from "../fields/unpriced-calls.ts";
import { operation } from "../operation.ts";
import { revenueCents, roiMultiple, valueCents } from "../outcomes/sums.ts";
import { roiDays } from "./days-query.ts";

const limit = z.int().nullable().meta({ description: "null: unlimited" });

export const upgradeJustificationGet = operation({
  id: "upgrade_justification.get",
  method: "GET",
  path: "/api/upgrade-justification",
  summary: "What a higher tier would bring, from this organization's own numbers",
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
        description: "This month's calls so far, and the pace of the last 7 days for the rest of the month",
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
      description: "Of the suggestions that a paid tier shows, for 30 days; null while nothing is known",
    }),
    upgrade: z.strictObject({
      target_tier: z
        .enum(tierNames)
        .nullable()
        .meta({ description: "The recommended tier, else the next one; null: there is none above" }),
      price_monthly_cents: z.int().nullable().meta({ description: "null: not configured" }),
      extra_cost_monthly_cents: z.int().nullable().meta({ description: "Its price less the present tier's" }),
      benefit_monthly_cents: z.number().nullable().meta({
        description: "What the suggestions would save, which the free tier does not show; null: not known",
      }),
      net_monthly_cents: z.number().nullable().meta({ description: "Benefit less extra cost" }),
      roi_multiplier: z.number().nullable().meta({
        description: "Benefit ÷ extra cost; null where one of them is not known, or it costs no more",
      }),
      note: z.string().nullable().meta({ description: "What is missing, or not counted" }),
    }),
    reasons: z.array(z.string()),
    unlocked: z.array(z.string()).meta({ description: "What the recommended tier adds" }),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
