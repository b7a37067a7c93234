import { roiOperations } from "@tollgate/core/contract/roi";
import { tierTitles } from "@tollgate/core/limits/tiers";
import { z } from "zod";
import { cost, count, dollarsOfCents, times } from "../format-amounts.ts";
import { besideRevenue } from "../format-outcomes.ts";
import { listLines } from "../list-lines.ts";
import { wholeDays } from "../parameters.ts";
import { reads, tool } from "../tool.ts";

const { output } = roiOperations["upgrade_justification.get"];

const limitNames = {
  monthly_calls: "Projected calls this month",
  agents: "Agents",
  budgets: "Budgets",
  history_days: "Days of history",
} as const;

export const getUpgradeJustification = tool({
  name: "svc_get_upgrade_justification",
  domain: "Upgrade justification",
  title: "Upgrade justification",
  description:
    "Whether a higher tier would pay for itself, from this organization's own numbers: the ROI of upgrading (possible monthly savings divided by the higher tier's extra cost), limits reached, and what a tier unlocks. If the current tier fits, it says so. Not for what calls cost: svc_get_cost_summary.",
  input: z.strictObject({ days: wholeDays(7, 90) }),
  output,
  annotations: reads,
  run: (call, { days }) => call("upgrade_justification.get", { days }),
  render(report) {
    const { usage, recommended_tier, current_tier, estimated_savings_monthly_cents: savings } = report;
    return [
      `You are on ${tierTitles[current_tier]}; ${recommended_tier === null ? "no upgrade is needed" : `recommended: ${tierTitles[recommended_tier]}`}. Last ${count(report.period_days, "day")}: ${count(usage.call_count, "call")}, ${cost(usage.cost_microcents, usage.unpriced_calls)}, revenue ${dollarsOfCents(usage.revenue_cents)}${besideRevenue(usage.value_cents - usage.revenue_cents, 0)}.`,
      savings === null
        ? "Possible savings: unknown."
        : `Possible savings: ${dollarsOfCents(savings)} a month.`,
      ...moveLines(report.upgrade),
      ...listLines(
        report.limits,
        one =>
          `${limitLine(one)}${recommended_tier === null ? "" : `; with ${tierTitles[recommended_tier]} ${one.allowed_after ?? "unlimited"}`}`,
      ),
      ...(report.reasons.length > 0 ? ["Reasons:", ...listLines(report.reasons, reason => reason)] : []),
      ...(report.unlocked.length > 0 ? ["It would add:", ...listLines(report.unlocked, what => what)] : []),
    ].join("\n");
  },
});

type Report = z.infer<typeof output>;

function limitLine({ limit, used, allowed, is_reached }: Report["limits"][number]): string {
  const line = `${limitNames[limit]}: ${used ?? "unknown"}`;
  if (allowed === null) return `${line} (no limit)`;
  if (limit === "history_days") return `${line} (your tier shows the last ${allowed})`;
  return `${line} of ${allowed}${is_reached ? ", reached" : ""}`;
}

function moveLines({
  target_tier,
  extra_cost_monthly_cents: extra,
  note,
  ...upgrade
}: Report["upgrade"]): string[] {
  const { net_monthly_cents: net, roi_multiplier: roi } = upgrade;
  if (target_tier === null) return [];
  const price = extra === null ? "price not configured" : `costs ${dollarsOfCents(extra)} more a month`;
  const gain =
    net === null
      ? "ROI unknown"
      : `net ${dollarsOfCents(net)} a month${roi === null ? "" : `, ROI ${times(roi)}`}`;
  return [`Moving to ${tierTitles[target_tier]}: ${price}; ${gain}.${note === null ? "" : ` ${note}`}`];
}
