import { analyticsOperations } from "@tollgate/core/contract/analytics";
import { formatDollars } from "@tollgate/core/money/format-dollars";
import { z } from "zod";
import { cost as costOf, count, dollarsOfCents, percent, times } from "../format-amounts.ts";
import { besideRevenue } from "../format-outcomes.ts";
import { listLines } from "../list-lines.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

const MAX_AGENTS = 50;
const { shape } = analyticsOperations["dashboard.get"].output;
const agentShape = shape.agents_list.element.shape;

export const getCostSummary = tool({
  name: "svc_get_cost_summary",
  domain: "Dashboard",
  title: "Cost summary",
  description:
    "What LLM calls cost over the last days: total spend, calls, error rate, the most expensive agents and models, revenue from outcomes, and possible savings. Use it first for any question about spend. Not for one agent's details (svc_get_agent_detail, svc_get_task_roi) or a budget's state (svc_get_budget_status). The period is clamped to the tier's history; the answer states the actual period.",
  input: z.strictObject({
    days: z
      .number()
      .min(1)
      .max(90)
      .default(30)
      .meta({ description: "Days to look back, 1 to 90; part of a day counts as a whole day" }),
  }),
  output: z.strictObject({
    period_days: shape.period_days,
    period: shape.period,
    cost: shape.cost,
    agents: shape.agents,
    agents_list: z
      .array(
        z.strictObject({
          id: agentShape.id,
          name: agentShape.name,
          status: agentShape.status,
          call_count: agentShape.call_count,
          error_count: agentShape.error_count,
          cost_microcents: agentShape.cost_microcents,
          cost_cents: agentShape.cost_cents,
          unpriced_calls: agentShape.unpriced_calls,
        }),
      )
      .meta({ description: `The most expensive first, at most ${MAX_AGENTS}` }),
    top_models: shape.top_models,
    budgets: shape.budgets,
    alerts: shape.alerts,
    attribution: shape.attribution,
    optimization: shape.optimization,
  }),
  annotations: reads,
  async run(call, { days }) {
    const board = await call("dashboard.get", { days: Math.ceil(days) });
    const { period_days, period, cost, agents, top_models, budgets, alerts, attribution, optimization } =
      board;
    return {
      period_days,
      period,
      cost,
      agents,
      agents_list: board.agents_list
        .slice(0, MAX_AGENTS)
        .map(
          ({ id, name, status, call_count, error_count, cost_microcents, cost_cents, unpriced_calls }) => ({
            id,
            name,
            status,
            call_count,
            error_count,
            cost_microcents,
            cost_cents,
            unpriced_calls,
          }),
        ),
      top_models,
      budgets,
      alerts,
      attribution,
      optimization,
    };
  },
  render({ period_days, cost, agents, agents_list, top_models, budgets, alerts, attribution, optimization }) {
    return [
      `Last ${count(period_days, "day")}: ${costOf(cost.total_cost_microcents, cost.unpriced_calls)} for ${count(cost.total_calls, "call")}, ${percent(cost.error_rate)} errors (${count(cost.error_calls, "failed call")}), ${cost.avg_latency_ms} ms on average.`,
      `Agents: ${agents.total} (${agents.active} active, ${agents.idle} idle, ${agents.error} in error, ${agents.archived} archived). Most expensive:`,
      ...listLines(
        agents_list,
        agent =>
          `${quoted(agent.name)} (${agent.id}): ${costOf(agent.cost_microcents, agent.unpriced_calls)}, ${count(agent.call_count, "call")}, ${agent.status}`,
        10,
      ),
      "Models:",
      ...listLines(
        top_models,
        model =>
          `${quoted(model.model)} (${model.provider}): ${costOf(model.cost_microcents, model.unpriced_calls)}, ${count(model.call_count, "call")}`,
        5,
      ),
      `Revenue: ${dollarsOfCents(attribution.total_revenue_cents)} from ${count(attribution.revenue_outcomes, "outcome")}${besideRevenue(attribution.other_value_cents, attribution.failed_outcomes)}; net value ${dollarsOfCents(attribution.net_value_cents)}, ROI ${times(attribution.roi_multiplier)}.`,
      `Budgets: ${budgets.total} (${budgets.warning} past the warning threshold, ${budgets.exceeded} exceeded). Unread alerts: ${alerts.unread}.`,
      `Possible savings: ${dollarsOfCents(optimization.total_savings_cents)} a month in ${count(optimization.suggestion_count, "suggestion")}${optimization.top_suggestion === null ? "" : `, first ${quoted(optimization.top_suggestion)}`}${whereListed(optimization)}. Active optimizations: ${optimization.applied.length}${savedSoFar(optimization.applied)}.`,
    ].join("\n");
  },
});

/** Never recommends a tool that the tier would refuse. */
function whereListed({ suggestion_count, suggestions_included }: Optimization): string {
  if (suggestion_count === 0) return "";
  return suggestions_included
    ? " (svc_get_optimization_recommendations)"
    : " (listed in detail in the Lite tier and above: svc_get_upgrade_justification)";
}

type Optimization = z.infer<typeof shape.optimization>;

function savedSoFar(applied: readonly { readonly saved_microcents: number | null }[]): string {
  const saved = applied.reduce((sum, one) => sum + (one.saved_microcents ?? 0), 0);
  return saved === 0 ? "" : `, saved so far ${formatDollars(saved)}`;
}
