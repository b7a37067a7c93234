import { roiOperations } from "@tollgate/core/contract/roi";
import { z } from "zod";
import { count, dollarsOfCents } from "../format-amounts.ts";
import { besideRevenue } from "../format-outcomes.ts";
import { listLines } from "../list-lines.ts";
import { uuid, wholeDays } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getAttributionReport = tool({
  name: "svc_get_attribution_report",
  domain: "Attribution",
  title: "Attribution report",
  description:
    "Which agents are credited with outcomes: the agent that the outcome names, otherwise the last caller in its session (direct), or always the last or first agent of the session (last_touch, first_touch). Use it when several agents share a task. Not for costs or ROI: svc_get_task_roi, svc_generate_roi_audit.",
  input: z.strictObject({
    agent_id: uuid("Only outcomes credited to this agent; default: all").optional(),
    days: wholeDays(1, 365),
    model: roiOperations["attribution.get"].query.shape.model.meta({
      description: "How outcomes are credited",
    }),
  }),
  output: roiOperations["attribution.get"].output,
  annotations: reads,
  run: (call, query) => call("attribution.get", query),
  render({ period_days, model, total_outcomes, unattributed, agents, ...report }) {
    return [
      `Last ${count(period_days, "day")}, ${model}: ${count(total_outcomes, "outcome")}, revenue ${dollarsOfCents(report.total_revenue_cents)}${besideRevenue(report.total_value_cents - report.total_revenue_cents, report.failed_outcomes)}; not attributed ${count(unattributed.outcome_count, "outcome")}, revenue ${dollarsOfCents(unattributed.revenue_cents)}${besideRevenue(unattributed.value_cents - unattributed.revenue_cents, 0)}.`,
      ...listLines(
        agents,
        one =>
          `${quoted(one.agent_name)} (${one.agent_id}): revenue ${dollarsOfCents(one.revenue_cents)}${besideRevenue(one.contribution_value_cents - one.revenue_cents, 0)}, ${count(one.outcome_count, "outcome")}`,
      ),
    ].join("\n");
  },
});
