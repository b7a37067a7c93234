import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { suggestionOperations } from "@tollgate/core/contract/suggestions";
import type { HistoryWindow } from "@tollgate/core/limits/history-window";
import { suggestionTypes } from "@tollgate/core/suggestions/suggestion-types";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { findAgent } from "../agents/find-agent.ts";
import { readCredits } from "../outcomes/read-credits.ts";
import { makeSuggestions } from "./make-suggestions.ts";

const MAX_SUGGESTIONS = 200;
const MAX_INSUFFICIENT = 50;

export const suggestionHandlers: Handlers<typeof suggestionOperations> = {
  "suggestions.list": async (context, input) => {
    const agentId = input.agent_id;
    if (agentId !== undefined) await findAgent(context, agentId);
    const report = await makeSuggestions(context, {
      agentId,
      days: input.days,
      period_days: input.period_days,
    });
    const revenue = input.include_revenue ? await revenueByAgent(context, report.window) : null;
    return {
      suggestions: report.suggestions.slice(0, MAX_SUGGESTIONS).map(suggestion => ({
        ...suggestion,
        evidence: { ...suggestion.evidence },
        implementation: suggestion.implementation && {
          ...suggestion.implementation,
          payload: { ...suggestion.implementation.payload },
        },
        ...(revenue && {
          is_revenue: false,
          attributed_revenue_cents: revenue.get(suggestion.agent_id) ?? 0,
        }),
      })),
      suggestion_count: report.suggestions.length,
      total_monthly_savings_cents: report.totalMonthlySavingsCents,
      ...(revenue && {
        total_attributed_revenue_cents: report.agents.reduce(
          (sum, agent) => sum + (revenue.get(agent.agentId) ?? 0),
          0,
        ),
      }),
      checks_run: [...suggestionTypes],
      agents_examined: report.agents.length,
      agents_left_out: report.leftOut,
      insufficient_data: report.insufficient
        .slice(0, MAX_INSUFFICIENT)
        .map(({ agent, reason }) => ({ agent_id: agent.agentId, agent_name: agent.name, reason })),
      insufficient_data_count: report.insufficient.length,
      period: toPeriod(report.window),
      computed_at: toIsoTime(context.now()),
    };
  },
};

async function revenueByAgent(
  context: Context,
  window: HistoryWindow,
): Promise<ReadonlyMap<string | null, number>> {
  const { byAgent } = await readCredits(context, window);
  return new Map(byAgent.map(({ agentId, revenueCents }) => [agentId, revenueCents]));
}
