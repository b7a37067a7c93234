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
    "Which agents the outcomes are owed to: by the agent that is named, or called last in the session where none is (direct), the last or the first that worked in the session (last_touch, first_touch). Use it where several agents share a task. Not for costs or ROI: svc_get_task_roi, svc_generate_roi_audit.",
  input: z.strictObject({
    agent_id: uuid("Only what is credited to this agent; all of them unless given").optional(),
    days: wholeDays(1, 365),
    model: roiOperations["attribution.get"].query.shape.model.meta({ description: "How credit is given" }),
  }),
  output: roiOperations["attribution.get"].output,
  annotations: reads,
  run: (call, query) => call("attribution.get", query),
  say({ period_days, model, total_outcomes, unattributed, agents, ...report }) {
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
