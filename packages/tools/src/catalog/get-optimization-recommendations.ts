import { suggestionOperations } from "@tollgate/core/contract/suggestions";
import { z } from "zod";
import { count, dollarsOfCents, percent } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getOptimizationRecommendations = tool({
  name: "svc_get_optimization_recommendations",
  domain: "Optimization",
  title: "Optimization recommendations",
  description:
    "How to reduce cost, for one agent or the whole fleet: each suggestion with its monthly saving, confidence, evidence from this organization's own calls, and whether the gateway can apply it in one click (svc_apply_optimization). Not a waste audit: svc_run_cost_leak_scan looks for leaks such as missing budgets. Both are included in the Lite tier and above.",
  input: z.strictObject({
    agent_id: uuid("UUID of an agent; default: the whole fleet").optional(),
    include_revenue: z
      .boolean()
      .default(true)
      .meta({ description: "Include the value of outcomes; false: costs only" }),
  }),
  output: suggestionOperations["suggestions.list"].output,
  annotations: reads,
  run: (call, input) => call("suggestions.list", input),
  render(answer) {
    const { suggestions, suggestion_count, total_monthly_savings_cents, agents_examined } = answer;
    const unknown =
      answer.insufficient_data_count > 0
        ? [`Not enough data for ${count(answer.insufficient_data_count, "agent")}.`]
        : [];
    if (suggestion_count === 0) {
      return [`Nothing to suggest; ${count(agents_examined, "agent")} examined.`, ...unknown].join("\n");
    }
    return [
      `${count(suggestion_count, "suggestion")} would save ${dollarsOfCents(total_monthly_savings_cents)} a month (overlaps counted once); ${count(agents_examined, "agent")} examined.`,
      ...listLines(
        suggestions,
        one =>
          `${one.type}: ${quoted(one.title)}, ${one.agent_id === null ? "fleet" : `agent ${quoted(one.agent_name ?? "")} (${one.agent_id})`}, saves ${dollarsOfCents(one.impact_monthly_cents)} a month, confidence ${percent(one.confidence)}${one.one_click ? `, one_click: svc_apply_optimization with optimization_type ${one.type}` : ""}`,
      ),
      ...unknown,
    ].join("\n");
  },
});
