import { toIsoTime } from "@tollgate/core/contract/iso-time";
import type { suggestionsList as operation } from "@tollgate/core/contract/suggestions-list";
import type { HistoryWindow } from "@tollgate/core/history-window";
import { suggestionTypes } from "@tollgate/core/suggestions/suggestion-types";
import type { Context } from "../context.ts";
import { makeSuggestions } from "../suggestions/make-suggestions.ts";
import { findAgent } from "./find-agent.ts";
import type { Handler } from "./handler.ts";
import { toPeriod } from "./to-period.ts";

const MOST = 200;
const MOST_UNKNOWN = 50;

export const suggestionsList: Handler<typeof operation> = async (context, input) => {
  const agentId = input.agent_id;
  if (agentId !== undefined) await findAgent(context, agentId);
  const report = await makeSuggestions(context, {
    agentId,
    days: input.days,
    period_days: input.period_days,
  });
  const values = input.include_revenue ? await outcomeValues(context, report.window) : null;
  return {
    suggestions: report.suggestions.slice(0, MOST).map(suggestion => ({
      ...suggestion,
      evidence: { ...suggestion.evidence },
      implementation: suggestion.implementation && {
        ...suggestion.implementation,
        payload: { ...suggestion.implementation.payload },
      },
      ...(values && { is_revenue: false, attributed_value_cents: values.get(suggestion.agent_id) ?? 0 }),
    })),
    suggestion_count: report.suggestions.length,
    total_monthly_savings_cents: report.totalMonthlySavingsCents,
    ...(values && {
      total_attributed_value_cents: report.agents.reduce(
        (sum, agent) => sum + (values.get(agent.agentId) ?? 0),
        0,
      ),
    }),
    checks_run: [...suggestionTypes],
    agents_examined: report.agents.length,
    agents_left_out: report.leftOut,
    insufficient_data: report.insufficient
      .slice(0, MOST_UNKNOWN)
      .map(({ agent, reason }) => ({ agent_id: agent.agentId, agent_name: agent.name, reason })),
    insufficient_data_count: report.insufficient.length,
    period: toPeriod(report.window),
    computed_at: toIsoTime(context.now()),
  };
};

/** Value of the outcomes that name an agent, by agent. */
async function outcomeValues(
  { db, scope }: Context,
  window: HistoryWindow,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("outcomes")
    .select(({ fn }) => ["agent_id", fn.sum<number | null>("value_cents").as("value")])
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("agent_id", "is not", null)
    .where("created_at", ">=", window.from)
    .where("created_at", "<", window.to)
    .groupBy("agent_id")
    .execute();
  return new Map(rows.map(({ agent_id: id, value }) => [id ?? "", Number(value ?? 0)]));
}
