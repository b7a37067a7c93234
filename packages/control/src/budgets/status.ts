import { daysRemaining, percentageUsed } from "@tollgate/core/budgets/percentage-used";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { startOfMonth, startOfNextMonth } from "@tollgate/core/time/month";
import { countAlerts } from "../kernel/count-alerts.ts";
import type { Handler } from "../kernel/handler.ts";
import { listBudgets } from "./read-budgets.ts";

export const budgetsStatus: Handler<"budgets.status"> = async context => {
  const now = context.now();
  const month = { from: startOfMonth(now), to: startOfNextMonth(now) };
  const [budgets, usage, alerts] = await Promise.all([
    listBudgets(context),
    context.readModel.usage(context.scope, month),
    countAlerts(context, month),
  ]);
  return {
    organization_id: context.organization.id,
    total_spending_microcents: usage.totals.cost_microcents,
    unpriced_calls: usage.totals.unpriced_calls,
    budgets: budgets.map(({ row, span, spent, unpricedCalls }) => ({
      id: row.id,
      limit_microcents: row.limit_microcents,
      current_spending_microcents: spent,
      unpriced_calls: unpricedCalls,
      percentage_used: percentageUsed(spent, row.limit_microcents),
      enforcement_mode: row.enforcement_mode,
      status: row.status,
      days_remaining: daysRemaining(span.endsAt, now),
      resets_at: toIsoTime(span.endsAt),
      period: row.period,
      agent_id: row.agent_id,
    })),
    alerts_triggered: alerts.triggered,
  };
};
