import { leakOperations } from "@tollgate/core/contract/leaks";
import { z } from "zod";
import { count, dollarsOfCents } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const runCostLeakScan = tool({
  name: "svc_run_cost_leak_scan",
  domain: "Cost leak detector",
  title: "Cost leak scan",
  description:
    "A waste audit of one agent or the fleet in seven checks: idle agents, model overprovisioning, missing caching, high error rates, context bloat, missing budgets, cross-provider arbitrage. Each finding has severity, evidence, monthly waste and a fix. Not for one-click savings: svc_get_optimization_recommendations. Both are included in the Lite tier and above.",
  input: z.strictObject({
    agent_id: uuid("UUID of an agent; default: the whole fleet").optional(),
    include_low_severity: z.boolean().default(false).meta({
      description: "true: also list findings of low severity; totals and score always include them",
    }),
    output_format: z
      .enum(["text", "json"])
      .default("text")
      .meta({ description: "json: the text of the answer is the full report as JSON" }),
  }),
  output: leakOperations["cost_leak_scan.run"].output,
  annotations: reads,
  run: (call, { output_format: _, ...query }) => call("cost_leak_scan.run", query),
  render(report, { output_format }) {
    if (output_format === "json") return JSON.stringify(report);
    const { findings, hidden_low_severity } = report;
    const hidden =
      hidden_low_severity > 0 ? ` ${count(hidden_low_severity, "finding")} of low severity not listed.` : "";
    return [
      `Health score ${report.health_score} of 100: ${count(report.total_leaks_found, "leak")}, about ${dollarsOfCents(report.total_estimated_waste_monthly_cents)} wasted a month (overlapping waste is counted once); ${count(report.total_agents_scanned, "agent")} scanned in ${count(report.checks_run.length, "check")}.${hidden}`,
      ...listLines(
        findings,
        one =>
          `${one.severity} ${one.check}, ${one.agent_id === null ? "whole organization" : `agent ${quoted(one.agent_name ?? "")} (${one.agent_id})`}: ${one.description} Waste ${dollarsOfCents(one.estimated_waste_monthly_cents)} a month. Fix: ${one.fix}${one.auto_fixable ? " (svc_apply_optimization can do it)" : ""}`,
      ),
    ].join("\n");
  },
});
