import { roiOperations } from "@tollgate/core/contract/roi";
import { z } from "zod";
import { cost, count, dollarsOfCents, times } from "../format-amounts.ts";
import { besideRevenue } from "../format-outcomes.ts";
import { listLines } from "../list-lines.ts";
import { uuid, wholeDays } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const generateRoiAudit = tool({
  name: "svc_generate_roi_audit",
  domain: "ROI audit",
  title: "ROI audit",
  description:
    "Cost and value of the fleet, agent by agent, with risk flags, caveats and methodology: a report for decision makers. Not for one agent (svc_get_task_roi), and not for finding savings (svc_get_optimization_recommendations, Lite tier and above).",
  input: z.strictObject({
    days: wholeDays(7, 365),
    include_methodology: z.boolean().default(true).meta({ description: "false: omit how it was computed" }),
    agent_ids: z
      .array(uuid("UUID of an agent"))
      .min(1)
      .max(200)
      .optional()
      .meta({ description: "Only these agents; default: the whole fleet" }),
  }),
  output: roiOperations["roi_audit.get"].output,
  annotations: reads,
  run: (call, { days, include_methodology, agent_ids }) =>
    call("roi_audit.get", {
      days,
      include_methodology,
      ...(agent_ids === undefined ? {} : { agent_ids: [...new Set(agent_ids)].join(",") }),
    }),
  render({ period_days, fleet_summary: fleet, agents, methodology, caveats }) {
    return [
      `ROI audit, last ${count(period_days, "day")}: ${count(fleet.total_agents, "agent")}, cost ${cost(fleet.total_cost_microcents, fleet.unpriced_calls)} for ${count(fleet.total_calls, "call")}, revenue ${dollarsOfCents(fleet.total_revenue_cents)}${besideRevenue(fleet.other_value_cents, fleet.failed_outcomes)}, ${count(fleet.total_outcomes, "outcome")}; net ${dollarsOfCents(fleet.net_value_cents)}, ROI ${times(fleet.net_roi_multiplier)}.`,
      ...listLines(
        agents,
        one =>
          `${quoted(one.agent_name)} (${one.agent_id}): cost ${cost(one.cost_microcents, one.unpriced_calls)}, revenue ${dollarsOfCents(one.revenue_cents)}${besideRevenue(one.value_cents - one.revenue_cents, one.failed_count)}, ROI ${times(one.roi_multiplier)}${one.risk_flags.length > 0 ? `, ${one.risk_flags.join(", ")}` : ""}`,
      ),
      ...(caveats.length > 0 ? ["Caveats:", ...listLines(caveats, caveat => caveat)] : []),
      ...(methodology === null ? [] : ["How it was computed:", ...listLines(methodology, step => step)]),
    ].join("\n");
  },
});
