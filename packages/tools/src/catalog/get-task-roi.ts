import { roiOperations } from "@tollgate/core/contract/roi";
import { z } from "zod";
import { cost, count, dollarsOfCents, times } from "../format-amounts.ts";
import { besideRevenue, failed } from "../format-outcomes.ts";
import { listLines } from "../list-lines.ts";
import { uuid, wholeDays } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getTaskRoi = tool({
  name: "svc_get_task_roi",
  domain: "Attribution",
  title: "ROI of an agent",
  description:
    "What one agent cost and what its outcomes were worth: ROI (revenue divided by cost), cost by model, value by outcome type. Use it to decide whether an agent is worth its cost. Not for all agents at once (svc_generate_roi_audit) or shared credit (svc_get_attribution_report).",
  input: z.strictObject({ agent_id: uuid("UUID of the agent"), days: wholeDays(1, 365) }),
  output: roiOperations["agents.roi"].output,
  annotations: reads,
  run: (call, { agent_id, days }) => call("agents.roi", { id: agent_id, days }),
  render({ agent_id, agent_name, period_days, costs, outcomes, net_value_cents, roi_multiplier }) {
    return [
      `Agent ${quoted(agent_name)} (${agent_id}), last ${count(period_days, "day")}: cost ${cost(costs.total_microcents, costs.unpriced_calls)} for ${count(costs.call_count, "call")}, revenue ${dollarsOfCents(outcomes.revenue_cents)}${besideRevenue(outcomes.total_value_cents - outcomes.revenue_cents, outcomes.failed_count)}, ${count(outcomes.count, "outcome")}; net ${dollarsOfCents(net_value_cents)}, ROI ${times(roi_multiplier)}.`,
      "Cost by model:",
      ...listLines(
        costs.by_model,
        one =>
          `${quoted(one.model)}: ${cost(one.cost_microcents, one.unpriced_calls)}, ${count(one.call_count, "call")}`,
        10,
      ),
      "Value by outcome type:",
      ...listLines(
        outcomes.by_type,
        one =>
          `${one.outcome_type === null ? "untyped" : quoted(one.outcome_type)}: ${dollarsOfCents(one.value_cents)}, ${count(one.count, "outcome")}${failed(one.failed_count)}`,
        10,
      ),
    ].join("\n");
  },
});
