import { useCases } from "@tollgate/core/attribution/business-case";
import { businessCaseOperations, upgradableTiers } from "@tollgate/core/contract/business-case";
import { tierTitles } from "@tollgate/core/limits/tiers";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { z } from "zod";
import { cost, dollarsOfCents } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { reads, tool } from "../tool.ts";

const { output } = businessCaseOperations["upgrade_business_case.get"];

type Case = z.infer<typeof output>;
type Option = Case["options"][number];

export const getUpgradeBusinessCase = tool({
  name: "svc_get_upgrade_business_case",
  domain: "Upgrade business case",
  title: "Upgrade business case",
  description:
    "What the tiers above the named one would change: limits that are reached, price, savings, and what share of the spend has to be saved for it to pay. Uses monthly_spend, agent_count and primary_use_case where given, this organization's own numbers otherwise, and says what is not known instead of guessing. Not for whether this organization should upgrade now: svc_get_upgrade_justification.",
  input: z.strictObject({
    current_tier: z.enum(upgradableTiers).meta({ description: "The tier to compare with" }),
    monthly_spend: z.number().min(0).max(1e12).optional().meta({ description: "Cents a month" }),
    agent_count: z.int().min(0).max(1e9).optional(),
    primary_use_case: z.enum(useCases).optional(),
  }),
  output,
  annotations: reads,
  run: (call, input) => call("upgrade_business_case.get", input),
  render({ current_tier, recommended_tier, facts, options, use_case, missing }) {
    return [
      `From ${tierTitles[current_tier]}, the case is for ${tierTitles[recommended_tier]}.`,
      ...spendLines(facts),
      ...listLines(options, optionLine),
      ...(use_case === null ? [] : ["For this use case:", ...listLines(use_case.points, point => point)]),
      ...(missing.length > 0 ? ["Not known:", ...listLines(missing, what => what)] : []),
    ].join("\n");
  },
});

function spendLines({
  monthly_spend_cents: { value, basis, unpriced_calls },
  hidden_spend_cents,
  hidden_unpriced_calls,
}: Case["facts"]): string[] {
  return [
    ...(value === null ? [] : [`Spend of 30 days, ${basis}: ${spend(value, unpriced_calls)}.`]),
    ...(hidden_spend_cents === null
      ? []
      : [`Before the history that your tier shows: ${spend(hidden_spend_cents, hidden_unpriced_calls)}.`]),
  ];
}

/** null: the amount is not a sum of calls. */
function spend(cents: number, unpricedCalls: number | null): string {
  return unpricedCalls === null
    ? dollarsOfCents(cents)
    : cost(Math.round(cents * MICROCENTS_PER_CENT), unpricedCalls);
}

function optionLine({ tier, limits, ...option }: Option): string {
  const { extra_cost_monthly_cents: extra, net_monthly_cents: net, break_even_savings_pct: even } = option;
  const reached = limits.filter(
    ({ is_reached_now: now, is_reached_then: then }) => now === true && then === false,
  );
  return [
    `${tierTitles[tier]}: ${extra === null ? "price not configured" : `costs ${dollarsOfCents(extra)} more a month`}`,
    ...(net === null ? [] : [`net ${dollarsOfCents(net)} a month`]),
    ...(even === null ? [] : [`pays once ${even}% of the spend is saved`]),
    ...(reached.length === 0
      ? []
      : [
          `lifts limits that are reached: ${reached.map(({ limit }) => limit.replaceAll("_", " ")).join(", ")}`,
        ]),
  ].join("; ");
}
