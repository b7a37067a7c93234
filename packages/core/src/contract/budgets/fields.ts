import { z } from "zod";
import { enforcementModes } from "../../budgets/budget.ts";
import { budgetPeriods } from "../../budgets/period.ts";

/** What people decide about a budget. */
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
      "Let calls to models without a price through a `hard_block` budget, which cannot count them; a strict one never does",
  }),
};
