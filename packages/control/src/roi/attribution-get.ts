import type { Credit } from "@tollgate/core/attribution/credit-outcomes";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { agentNames } from "../agents/agent-names.ts";
import { findAgent } from "../agents/find-agent.ts";
import { effectiveDays } from "../kernel/effective-days.ts";
import type { Handler } from "../kernel/handler.ts";
import { toPeriod } from "../kernel/to-period.ts";
import { readCredits } from "../outcomes/read-credits.ts";

const TOP = 5;
const MOST_AGENTS = 200;

export const attributionGet: Handler<"attribution.get"> = async (context, { agent_id, days, model }) => {
  if (agent_id !== undefined) await findAgent(context, agent_id);
  const window = historyWindow({ days }, context.organization.tier, context.now());
  const credited = await readCredits(context, window, model, agent_id ?? null);
  const agents = credited.byAgent.slice(0, MOST_AGENTS);
  const names = await agentNames(context, [
    ...agents,
    ...credited.byType.flatMap(({ credits }) => credits.slice(0, TOP)),
  ]);
  const shown = ({ agentId, outcomes, valueCents, revenueCents }: Credit) => ({
    agent_id: agentId,
    agent_name: names.get(agentId) ?? agentId,
    outcome_count: outcomes,
    contribution_value_cents: valueCents,
    revenue_cents: revenueCents,
  });
  return {
    agent_id: agent_id ?? null,
    period_days: effectiveDays(window),
    period: toPeriod(window),
    model,
    total_outcomes: credited.outcomes,
    failed_outcomes: credited.failed,
    total_value_cents: credited.valueCents,
    total_revenue_cents: credited.revenueCents,
    unattributed: {
      outcome_count: credited.unattributed.outcomes,
      value_cents: credited.unattributed.valueCents,
      revenue_cents: credited.unattributed.revenueCents,
    },
    outcomes: credited.byType.map(({ outcomeType, outcomes, failed, valueCents, credits }) => ({
      outcome_type: outcomeType,
      count: outcomes,
      failed_count: failed,
      value_cents: valueCents,
      top_attributions: credits.slice(0, TOP).map(shown),
    })),
    agents: agents.map(shown),
    agent_count: credited.byAgent.length,
  };
};
