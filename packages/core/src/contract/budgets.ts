import { z } from "zod";
import { enforcementModes } from "../budgets/budget.ts";
import { budgetPeriods } from "../budgets/period.ts";
import { unpricedCalls } from "./fields/cost-sums.ts";
import { isoTime } from "./fields/iso-time.ts";
import { callerId, idParams, objectId } from "./fields/object-id.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

/** Whose calls a budget counts: one of the three, or none. */
const budgetSubject = {
  agent_id: objectId.optional().meta({ description: "Calls of this agent" }),
  key_id: objectId.optional().meta({ description: "Calls made or reported with this API key" }),
  customer_id: callerId
    .optional()
    .meta({ description: "Calls for this customer, which need not have any calls yet" }),
};

/** The settings of a budget. */
export const budgetFields = {
  period: z.enum(budgetPeriods),
  limit_microcents: z.int().min(1).meta({ description: "$1 is 10,000,000 microcents" }),
  warning_pct: z.int().min(0).max(100),
  enforcement_mode: z.enum(enforcementModes),
  strict: z
    .boolean()
    .meta({ description: "Reserve the worst case of each call: the limit is never exceeded" }),
  allow_unpriced: z.boolean().meta({
    description:
      "Let calls to models without a price pass a `hard_block` budget, which cannot count them; a strict budget never lets them pass",
  }),
};

export const budgetResource = z
  .strictObject({
    id: z.string(),
    ...budgetFields,
    agent_id: z.string().optional().meta({
      description: "Without `agent_id`, `key_id` and `customer_id`: the whole organization",
    }),
    key_id: z.string().optional(),
    customer_id: z.string().optional(),
    organization_id: z.string(),
    current_spending_microcents: z.int(),
    withheld_microcents: z.int().meta({
      description:
        "Withheld by a strict budget until the period ends: what providers may still bill for calls whose cost was estimated",
    }),
    unpriced_calls: unpricedCalls,
    counted_from: isoTime.meta({
      description:
        "Where counting starts: at the start of the period, or at the creation or last reset within it",
    }),
    resets_at: isoTime,
    created_at: isoTime,
    status: z.enum(["active", "paused"]),
  })
  .meta({ id: "Budget" });

export const budgetOperations = declareOperations({
  "budgets.create": {
    method: "POST",
    path: "/api/budgets",
    summary: "Create a budget of the organization, an agent, a key or a customer; its spending starts at 0",
    body: z.strictObject({
      period: budgetFields.period,
      limit_microcents: budgetFields.limit_microcents,
      warning_pct: budgetFields.warning_pct.optional().meta({
        description: "Omitted: `budget_warning_threshold_pct` of the alert preferences, 80 unless set",
      }),
      enforcement_mode: budgetFields.enforcement_mode,
      strict: budgetFields.strict.default(false),
      allow_unpriced: budgetFields.allow_unpriced.default(false),
      ...budgetSubject,
    }),
    output: budgetResource,
    status: 201,
    ...writeAccess,
    refusals: [402],
  },
  "budgets.delete": {
    method: "DELETE",
    path: "/api/budgets/:id",
    summary: "Delete a budget",
    params: idParams,
    ...writeAccess,
  },
  "budgets.get": {
    method: "GET",
    path: "/api/budgets/:id",
    summary: "One budget",
    params: idParams,
    output: budgetResource,
    ...readAccess,
  },
  "budgets.list": {
    method: "GET",
    path: "/api/budgets",
    summary: "All budgets",
    output: z.strictObject({ budgets: z.array(budgetResource) }),
    ...readAccess,
  },
  "budgets.resume": {
    method: "POST",
    path: "/api/budgets/:id/resume",
    summary: "Enforce a paused budget again",
    params: idParams,
    body: z.strictObject({
      reset_spending: z.boolean().default(false).meta({ description: "Spending starts again at 0" }),
    }),
    output: z.strictObject({
      id: z.string(),
      status: z.enum(["active", "paused"]),
      current_spending_microcents: z.int(),
      unpriced_calls: unpricedCalls,
      resets_at: isoTime,
    }),
    ...writeAccess,
  },
  "budgets.set": {
    method: "POST",
    path: "/api/budgets/set",
    summary:
      "Create or update the budget of the organization, an agent, a key or a customer for a period; omitted fields stay unchanged",
    body: z.strictObject({
      period: budgetFields.period,
      limit_microcents: budgetFields.limit_microcents,
      warning_pct: budgetFields.warning_pct
        .optional()
        .meta({ description: "Omitted: unchanged, or 80 for a new budget" }),
      enforcement_mode: budgetFields.enforcement_mode
        .optional()
        .meta({ description: "Omitted: unchanged, or `alert_only` for a new budget" }),
      ...budgetSubject,
    }),
    output: z.strictObject({
      created: z.boolean().meta({ description: "false: an existing budget was changed" }),
      budget: budgetResource,
    }),
    ...writeAccess,
    refusals: [402],
  },
  "budgets.status": {
    method: "GET",
    path: "/api/budgets/status",
    summary: "Spend and state of every budget; totals are for this UTC month",
    output: z.strictObject({
      organization_id: z.string(),
      total_spending_microcents: z.int(),
      unpriced_calls: unpricedCalls,
      budgets: z.array(
        z.strictObject({
          id: z.string(),
          limit_microcents: z.int(),
          current_spending_microcents: z.int(),
          unpriced_calls: unpricedCalls,
          percentage_used: z.number().meta({ description: "Two decimals" }),
          enforcement_mode: z.enum(enforcementModes),
          status: z.enum(["active", "paused"]),
          days_remaining: z.int().meta({ description: "Rounded up" }),
          resets_at: isoTime,
          period: z.enum(budgetPeriods),
          agent_id: z.string().nullable().meta({
            description: "If `key_id` and `customer_id` are null too: the whole organization",
          }),
          key_id: z.string().nullable(),
          customer_id: z.string().nullable(),
        }),
      ),
      alerts_triggered: z.int().meta({ description: "Alerts of every type" }),
    }),
    ...readAccess,
  },
  "budgets.update": {
    method: "PATCH",
    path: "/api/budgets/:id",
    summary: "Change or pause a budget; omitted fields stay unchanged",
    params: idParams,
    body: z.strictObject({
      limit_microcents: budgetFields.limit_microcents.optional(),
      warning_pct: budgetFields.warning_pct.optional(),
      enforcement_mode: budgetFields.enforcement_mode.optional(),
      strict: budgetFields.strict.optional(),
      allow_unpriced: budgetFields.allow_unpriced.optional(),
      paused: z.boolean().optional().meta({ description: "A paused budget is tracked, not enforced" }),
    }),
    output: budgetResource,
    ...writeAccess,
  },
});
