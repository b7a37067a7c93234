import { upgradeJustificationGet } from "@tollgate/core/contract/upgrade-justification-get";
import { z } from "zod";
import { cost, count, dollarsOfCents, times } from "../format-amounts.ts";
import { besideRevenue } from "../format-outcomes.ts";
import { listLines } from "../list-lines.ts";
import { wholeDays } from "../parameters.ts";
import { reads, tool } from "../tool.ts";

const limitNames = {
  monthly_calls: "Calls projected for this month",
  agents: "Agents",
  budgets: "Budgets",
  history_days: "Days since the first call, of which the tier shows",
} as const;

export const getUpgradeJustification = tool({
  name: "svc_get_upgrade_justification",
  domain: "Upgrade justification",
  title: "Upgrade justification",
  description:
    "Whether a paid tier would pay, from this organization's own numbers: the ROI of moving up (what could be saved a month by what the tier costs more), limits that are reached, what a tier unlocks. If the present tier fits, it says so. Not for what calls cost: svc_get_cost_summary.",
  input: z.strictObject({ days: wholeDays(7, 90) }),
  output: upgradeJustificationGet.output,
  annotations: reads,
  run: (call, { days }) => call("upgrade_justification.get", { days }),
  say(report) {
    const { usage, recommended_tier, current_tier, estimated_savings_monthly_cents: savings } = report;
    return [
      `Tier ${current_tier}; ${recommended_tier === null ? "it fits, no upgrade is recommended" : `recommended: ${recommended_tier}`}. Last ${count(report.period_days, "day")}: ${count(usage.call_count, "call")}, ${cost(usage.cost_microcents, usage.unpriced_calls)}, revenue ${dollarsOfCents(usage.revenue_cents)}${besideRevenue(usage.value_cents - usage.revenue_cents, 0)}.`,
      savings === null
        ? "Possible savings: not known."
        : `Possible savings: ${dollarsOfCents(savings)} a month.`,
      ...moveLines(report.upgrade),
      ...listLines(
        report.limits,
        one =>
          `${limitNames[one.limit]}: ${one.used ?? "unknown"} of ${one.allowed ?? "unlimited"}${one.is_reached ? ", reached" : ""}${recommended_tier === null ? "" : `; with ${recommended_tier} ${one.allowed_after ?? "unlimited"}`}`,
      ),
      ...(report.reasons.length > 0 ? ["Reasons:", ...listLines(report.reasons, reason => reason)] : []),
      ...(report.unlocked.length > 0 ? ["It would add:", ...listLines(report.unlocked, what => what)] : []),
    ].join("\n");
  },
});

type Upgrade = z.infer<typeof upgradeJustificationGet.output>["upgrade"];

function moveLines({ target_tier, extra_cost_monthly_cents: extra, note, ...upgrade }: Upgrade): string[] {
  const { net_monthly_cents: net, roi_multiplier: roi } = upgrade;
  if (target_tier === null) return [];
  const price = extra === null ? "price not configured" : `costs ${dollarsOfCents(extra)} more a month`;
  const gain =
    net === null
      ? "ROI unknown"
      : `net ${dollarsOfCents(net)} a month${roi === null ? "" : `, ROI ${times(roi)}`}`;
  return [`Moving to ${target_tier}: ${price}; ${gain}.${note === null ? "" : ` ${note}`}`];
}
