import type { analyticsOperations } from "@tollgate/core/contract/analytics";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { dateLabel } from "@tollgate/core/time/group-days";
import { averageLatencyMs, errorRate } from "../../kernel/averages.ts";
import { byModelName } from "../../kernel/by-model-name.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { historyBeginsAt } from "../../kernel/history-begins-at.ts";
import { refusedCalls } from "../../kernel/refused-calls.ts";
import { toCostSums } from "../../kernel/to-cost-sums.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { findAgent } from "../agents/find-agent.ts";
import { breakdownGet } from "./breakdown-get.ts";
import { dashboardGet } from "./dashboard-get.ts";
import { historyGet } from "./history-get.ts";

export const analyticsHandlers: Handlers<typeof analyticsOperations> = {
  "analytics.get": async (context, input) => {
    const window = historyWindow(input, context.organization.tier, context.now());
    const agent = input.agent_id === undefined ? undefined : await findAgent(context, input.agent_id);
    const { totals, byModel, byDay, latency } = await context.readModel.usage(
      context.scope,
      window,
      agent?.id,
    );
    return {
      summary: {
        total_calls: totals.calls,
        total_cost_microcents: totals.cost_microcents,
        unpriced_calls: totals.unpriced_calls,
        avg_latency_ms: averageLatencyMs(totals),
        error_rate: errorRate(totals),
        period: toPeriod(window),
      },
      by_model: byModelName(byModel).map(line => ({
        model: line.model,
        ...toCostSums(line),
        avg_latency_ms: averageLatencyMs(line),
      })),
      trend: byDay.map(day => ({
        date: dateLabel(day.day),
        ...toCostSums(day),
        avg_latency_ms: averageLatencyMs(day),
      })),
      percentiles: latency,
      refused: await refusedCalls(context, window, agent?.agent_key),
      history_begins_at: await historyBeginsAt(context),
    };
  },

  "analytics.history": historyGet,

  "analytics.breakdown": breakdownGet,

  "dashboard.get": dashboardGet,
};
