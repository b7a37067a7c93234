import { headlineDays, loopViewOperations } from "@tollgate/core/contract/loop-views";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { microDollars } from "../format-micro-dollars.ts";
import { reads, tool } from "../tool.ts";

const { output } = loopViewOperations["loop_views.headline"];

type Figure = z.infer<typeof output>["measured_spend"];

export const getDashboardHeadline = tool({
  name: "svc_get_dashboard_headline",
  domain: "Loop metrics",
  title: "Dashboard headline",
  description:
    "Measured spend, attributed savings and verified savings of 7, 30 or 90 days, each with its basis, provenance and tone. Amounts are micro-dollars (dollars = value / 1,000,000) in envelopes. Verified savings are a part of the attributed ones: do not add them up. Needs the feature flag optimization_model_v3. Not for spend by agent or model: svc_get_cost_summary.",
  input: z.strictObject({
    days: z
      .literal(headlineDays)
      .default(30)
      .meta({ description: "7, 30 or 90; clamped to the tier's history" }),
  }),
  output,
  annotations: reads,
  run: (call, { days }) => call("loop_views.headline", { days }),
  render({ period, measured_spend, attributed_savings, verified_savings }) {
    return [
      `From ${period.from} to ${period.to}:`,
      figureLine("Measured spend", measured_spend),
      figureLine("Attributed savings", attributed_savings),
      figureLine("Verified savings, part of the attributed", verified_savings),
    ].join("\n");
  },
});

function figureLine(name: string, { amount, provenance, tone }: Figure): string {
  const { value, ci_low: low, ci_high: high } = amount;
  const interval =
    low === null || high === null ? "" : ` (95 %: ${microDollars(low)} to ${microDollars(high)})`;
  const leftOut = provenance.left_out_calls.value ?? 0;
  return `- ${name}: ${value === null ? "unknown" : microDollars(value)}${interval}, ${count(provenance.calls.value ?? 0, "call")}${leftOut === 0 ? "" : `, ${leftOut} left out`}; tone ${tone}`;
}
