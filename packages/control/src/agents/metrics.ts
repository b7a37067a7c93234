import { historyWindow } from "@tollgate/core/limits/history-window";
import { groupDays } from "@tollgate/core/time/group-days";
import { byModelName } from "../kernel/by-model-name.ts";
import type { Handler } from "../kernel/handler.ts";
import { toPeriod } from "../kernel/to-period.ts";
import { findAgent } from "./find-agent.ts";

export const agentsMetrics: Handler<"agents.metrics"> = async (context, input) => {
  const window = historyWindow(input, context.organization.tier, context.now());
  const agent = await findAgent(context, input.id);
  const { totals, byModel, byDay } = await context.readModel.usage(context.scope, window, agent.id);
  return {
    agent_id: agent.id,
    period: toPeriod(window),
    totals: {
      call_count: totals.calls,
      input_tokens: totals.input_tokens,
      output_tokens: totals.output_tokens,
      cost_microcents: totals.cost_microcents,
      unpriced_calls: totals.unpriced_calls,
    },
    by_model: byModelName(byModel).map(({ model, calls, cost_microcents, unpriced_calls }) => ({
      model,
      call_count: calls,
      cost_microcents,
      unpriced_calls,
    })),
    by_day: groupDays(byDay, input.group_by),
  };
};
