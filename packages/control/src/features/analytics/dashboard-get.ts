import { REVENUE_TYPE, sumOutcomes } from "@tollgate/core/attribution/outcome-sums";
import { netValueCents, roiMultiplier } from "@tollgate/core/attribution/roi";
import { isOverLimit, isOverWarning } from "@tollgate/core/budgets/percentage-used";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { type HistoryWindow, historyWindow } from "@tollgate/core/limits/history-window";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { groupDays } from "@tollgate/core/time/group-days";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { AgentTotals } from "@tollgate/storage/read-model/queries/agent-queries";
import { sql } from "kysely";
import { averageLatencyMs, errorRate } from "../../kernel/averages.ts";
import type { Context } from "../../kernel/context.ts";
import { countAlerts } from "../../kernel/count-alerts.ts";
import type { Handler } from "../../kernel/handler.ts";
import { historyBeginsAt } from "../../kernel/history-begins-at.ts";
import { toCostSums } from "../../kernel/to-cost-sums.ts";
import { effectiveDays, toPeriod } from "../../kernel/to-period.ts";
import { listAgents } from "../agents/read-agents.ts";
import { listBudgets } from "../budgets/read-budgets.ts";
import { summarizeOptimizations } from "../optimizations/summarize-optimizations.ts";

const TOP_MODELS = 10;
const TOP_AGENTS = 200;

export const dashboardGet: Handler<"dashboard.get"> = async (context, input) => {
  const { readModel, scope, organization } = context;
  const window = historyWindow(input, organization.tier, context.now());
  const [usage, byCost, fleet, budgets, alerts, outcomes, optimization] = await Promise.all([
    readModel.usage(scope, window),
    readModel.agentsByCost(scope, window, { limit: TOP_AGENTS }),
    readModel.fleetCounts(scope, context.now()),
    listBudgets(context),
    countAlerts(context, window),
    readOutcomeSums(context, window),
    summarizeOptimizations(context),
  ]);
  const { totals } = usage;
  const { active: activeAgents, idle, error, archived } = fleet;
  const active = budgets.filter(({ row }) => row.status === "active");
  const over = active.filter(({ row, spent }) => isOverLimit(spent, row.limit_microcents));
  const warned = active.filter(({ row, spent }) =>
    isOverWarning(spent, row.limit_microcents, row.warning_pct),
  );
  return {
    organization_id: organization.id,
    period_days: effectiveDays(window),
    period: toPeriod(window),
    history_begins_at: await historyBeginsAt(context),
    agents: {
      total: activeAgents + idle + error + archived,
      active: activeAgents,
      idle,
      error,
      archived,
    },
    agents_list: await shownAgents(context, byCost),
    cost: {
      total_calls: totals.calls,
      total_cost_microcents: totals.cost_microcents,
      total_cost_cents: toCents(totals.cost_microcents),
      unpriced_calls: totals.unpriced_calls,
      input_tokens: totals.input_tokens,
      output_tokens: totals.output_tokens,
      error_calls: totals.errors,
      error_rate: errorRate(totals),
      avg_latency_ms: averageLatencyMs(totals),
    },
    top_models: usage.byModel
      .toSorted((a, b) => b.cost_microcents - a.cost_microcents || b.calls - a.calls)
      .slice(0, TOP_MODELS)
      .map(line => ({ provider: line.provider, model: line.model, ...toCostSums(line) })),
    budgets: {
      total: budgets.length,
      paused: budgets.length - active.length,
      warning: warned.filter(budget => !over.includes(budget)).length,
      exceeded: over.length,
    },
    alerts,
    attribution: {
      total_outcomes: outcomes.outcomes,
      revenue_outcomes: outcomes.revenueOutcomes,
      failed_outcomes: outcomes.failed,
      total_revenue_cents: outcomes.revenueCents,
      other_value_cents: outcomes.valueCents - outcomes.revenueCents,
      net_value_cents: netValueCents(outcomes.revenueCents, totals.cost_microcents),
      roi_multiplier: roiMultiplier(outcomes.revenueCents, totals.cost_microcents),
    },
    optimization,
    trend: groupDays(usage.byDay, "day"),
  };
};

function toCents(microcents: number): number {
  return microcents / MICROCENTS_PER_CENT;
}

async function shownAgents(
  context: Context,
  byCost: readonly AgentTotals[],
): Promise<OutputOf<Operations["dashboard.get"]>["agents_list"]> {
  const ids = byCost.map(({ agent_id }) => agent_id);
  const records = await context.readModel.agentsById(context.scope, context.now(), ids);
  const rank = new Map(ids.map((id, index) => [id, index]));
  const agents = await listAgents(
    context,
    records.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0)),
  );
  return agents.map(agent => {
    const line = byCost[rank.get(agent.id) ?? -1];
    const cost = line?.cost_microcents ?? 0;
    return {
      ...agent,
      call_count: line?.calls ?? 0,
      error_count: line?.errors ?? 0,
      cost_microcents: cost,
      cost_cents: toCents(cost),
      unpriced_calls: line?.unpriced_calls ?? 0,
    };
  });
}

/** The database sums them into at most six rows. */
async function readOutcomeSums({ db, scope }: Context, window: HistoryWindow) {
  const type = sql<string | null>`CASE WHEN outcome_type = ${sql.lit(REVENUE_TYPE)} THEN outcome_type END`;
  const rows = await db
    .selectFrom("outcomes")
    .select(({ fn }) => [
      type.as("outcomeType"),
      "success",
      fn.countAll<number>().as("count"),
      fn.sum<number | null>("value_cents").as("valueCents"),
    ])
    .where(inScope(scope))
    .where("created_at", ">=", window.from)
    .where("created_at", "<", window.to)
    .groupBy([type, "success"])
    .execute();
  return sumOutcomes(
    rows.map(({ outcomeType, success, count, valueCents }) => ({
      outcomeType,
      success: success === null ? null : success === 1,
      count: Number(count),
      valueCents: Number(valueCents ?? 0),
    })),
  );
}
