import { z } from "zod";
import { caseLimits, useCases } from "../attribution/business-case.ts";
import { tierNames } from "../limits/tiers.ts";
import { periodResource } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";

/** A business case is made for a higher tier, so there is none for the highest. */
export const upgradableTiers = [
  "starter",
  "lite",
  "pro",
] as const satisfies readonly (typeof tierNames)[number][];

const basis = z
  .enum(["stated", "measured"])
  .nullable()
  .meta({ description: "Stated by the caller, or measured from this organization's calls; null: not known" });

const based = z.strictObject({ value: z.number().nullable(), basis });

const basedSpend = based.extend({
  unpriced_calls: z.int().nullable().meta({
    description: "Calls of unknown cost, which the spend leaves out; null: the spend is not measured",
  }),
});

const limit = z.int().nullable().meta({ description: "null: unlimited" });

const cents = z.number().nullable();

export const businessCaseOperations = declareOperations({
  "upgrade_business_case.get": {
    method: "GET",
    path: "/api/upgrade-business-case",
    summary: "What higher tiers would change: limits, price and savings, from known numbers only",
    query: z.strictObject({
      current_tier: z.enum(upgradableTiers),
      monthly_spend: z
        .number()
        .min(0)
        .max(1e12)
        .optional()
        .meta({ description: "Cents; omitted: the organization's own, scaled to 30 days" }),
      agent_count: z
        .int()
        .min(0)
        .max(1e9)
        .optional()
        .meta({ description: "Omitted: the organization's own" }),
      primary_use_case: z.enum(useCases).optional(),
    }),
    output: z.strictObject({
      current_tier: z.enum(upgradableTiers),
      is_own_tier: z.boolean().meta({ description: "Whether it is the tier of this organization" }),
      recommended_tier: z.enum(tierNames),
      period: periodResource,
      facts: z.strictObject({
        monthly_spend_cents: basedSpend,
        agent_count: based,
        projected_monthly_calls: based,
        budgets: based,
        savings_share: z.number().nullable().meta({
          description:
            "What this organization's suggestions would save, as a share of its spend; null: unknown",
        }),
        hidden_spend_cents: cents.meta({
          description: "Spend before the history that the tier shows; null: there is none",
        }),
        hidden_unpriced_calls: z.int().nullable().meta({
          description: "Calls of unknown cost, which hidden_spend_cents leaves out; null: as there",
        }),
      }),
      options: z
        .array(
          z.strictObject({
            tier: z.enum(tierNames),
            price_monthly_cents: z.int().nullable().meta({ description: "null: not configured" }),
            extra_cost_monthly_cents: z.int().nullable(),
            savings_monthly_cents: cents.meta({
              description:
                "Savings of the suggestions, which the free tier does not show; 0 for a paid tier, null: unknown",
            }),
            net_monthly_cents: cents,
            break_even_savings_pct: z.number().nullable().meta({
              description: "The share of the spend that must be saved for the upgrade to pay for itself",
            }),
            limits: z.array(
              z.strictObject({
                limit: z.enum(caseLimits),
                used: z.number().nullable(),
                basis,
                allowed_now: limit,
                allowed_then: limit,
                is_reached_now: z.boolean().nullable(),
                is_reached_then: z.boolean().nullable(),
              }),
            ),
            unlocks: z.array(z.string()),
          }),
        )
        .meta({ description: "All higher tiers, lowest first" }),
      use_case: z
        .strictObject({ primary_use_case: z.enum(useCases), points: z.array(z.string()) })
        .nullable(),
      missing: z.array(z.string()).meta({ description: "Numbers that are unknown, and how to provide them" }),
    }),
    ...readAccess,
  },
});
