import { z } from "zod";
import { enforcementModes } from "../../budgets/budget.ts";
import { budgetPeriods } from "../../budgets/period.ts";
import { isoTime } from "../fields/iso-time.ts";
import { unpricedCalls } from "../fields/unpriced-calls.ts";
import { operation } from "../operation.ts";

export const budgetsStatus = operation({
  id: "budgets.status",
  method: "GET",
  path: "/api/budgets/status",
  summary: "How far every budget is used; totals are of this UTC month",
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
        agent_id: z.string().nullable().meta({ description: "null: the whole organization" }),
      }),
    ),
    alerts_triggered: z.int().meta({ description: "Alerts of every type" }),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
