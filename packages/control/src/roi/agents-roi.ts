import { netValueCents, roiMultiplier } from "@tollgate/core/attribution/roi";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { findAgent } from "../agents/find-agent.ts";
import { agentSettings } from "../agents/settings.ts";
import { averageCostMicrocents } from "../kernel/averages.ts";
import { byModelName } from "../kernel/by-model-name.ts";
import { effectiveDays } from "../kernel/effective-days.ts";
import type { Handler } from "../kernel/handler.ts";
import { toPeriod } from "../kernel/to-period.ts";
import { readCredits } from "../outcomes/read-credits.ts";

export const agentsRoi: Handler<"agents.roi"> = async (context, { id, days }) => {
  const agent = await findAgent(context, id);
  const window = historyWindow({ days }, context.organization.tier, context.now());
  const [{ totals, byModel }, credited, settings] = await Promise.all([
    context.readModel.usage(context.scope, window, agent.id),
    readCredits(context, window, "direct", agent.id),
    agentSettings(context, agent.id),
  ]);
  return {
    agent_id: agent.id,
    agent_name: settings?.name ?? agent.agent_key,
    period_days: effectiveDays(window),
    period: toPeriod(window),
    costs: {
      call_count: totals.calls,
      total_microcents: totals.cost_microcents,
      unpriced_calls: totals.unpriced_calls,
      avg_per_request_microcents: averageCostMicrocents(totals),
      by_model: byModelName(byModel).map(({ model, calls, cost_microcents, unpriced_calls }) => ({
        model,
        call_count: calls,
        cost_microcents,
        unpriced_calls,
      })),
    },
    outcomes: {
      count: credited.outcomes,
      failed_count: credited.failed,
      total_value_cents: credited.valueCents,
      revenue_cents: credited.revenueCents,
      by_type: credited.byType.map(({ outcomeType, outcomes, failed, valueCents }) => ({
        outcome_type: outcomeType,
        count: outcomes,
        failed_count: failed,
        value_cents: valueCents,
      })),
    },
    net_value_cents: netValueCents(credited.revenueCents, totals.cost_microcents),
    roi_multiplier: roiMultiplier(credited.revenueCents, totals.cost_microcents),
  };
};
