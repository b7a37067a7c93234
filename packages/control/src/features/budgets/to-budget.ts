import type { budgetResource } from "@tollgate/core/contract/budgets";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { z } from "zod";
import { type BudgetState, countedWindow } from "./read-budgets.ts";

type Budget = z.infer<typeof budgetResource>;

export function toBudget({ row, span, spent, withheld, unpricedCalls }: BudgetState): Budget {
  return {
    id: row.id,
    period: row.period,
    limit_microcents: row.limit_microcents,
    warning_pct: row.warning_pct,
    enforcement_mode: row.enforcement_mode,
    strict: row.strict === 1,
    allow_unpriced: row.allow_unpriced === 1,
    ...(row.agent_id === null ? {} : { agent_id: row.agent_id }),
    ...(row.key_id === null ? {} : { key_id: row.key_id }),
    ...(row.customer_id === null ? {} : { customer_id: row.customer_id }),
    organization_id: row.org_id,
    current_spending_microcents: spent,
    withheld_microcents: withheld,
    unpriced_calls: unpricedCalls,
    counted_from: toIsoTime(countedWindow(row, span).from),
    resets_at: toIsoTime(span.endsAtMs),
    created_at: toIsoTime(row.created_at),
    status: row.status,
  };
}
