import {
  type Based,
  type CaseFacts,
  recommendedTier,
  tierOption,
  useCasePoints,
} from "@tollgate/core/attribution/business-case";
import { PACE_DAYS, projectMonthlyCalls } from "@tollgate/core/attribution/project-monthly-calls";
import type { businessCaseOperations } from "@tollgate/core/contract/business-case";
import { fail } from "@tollgate/core/errors";
import {
  type HistoryWindow,
  historyStart,
  historyWindow,
  wholeDays,
} from "@tollgate/core/limits/history-window";
import { tierNames } from "@tollgate/core/limits/tiers";
import type { CallSums } from "@tollgate/core/money/call-sums";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfMonth } from "@tollgate/core/time/month";
import { MONTH_DAYS, observedDays } from "@tollgate/core/time/observed-days";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { makeSuggestions } from "../suggestions/make-suggestions.ts";

export const businessCaseHandlers: Handlers<typeof businessCaseOperations> = {
  "upgrade_business_case.get": async (context, input) => {
    const { current_tier: current, primary_use_case: useCase } = input;
    const now = context.now();
    const window = wholeDays(historyWindow({ days: MONTH_DAYS }, context.organization.tier, now));
    const measured = await measure(context, window);
    const facts: CaseFacts = {
      ...measured.facts,
      monthlySpendCents: stated(input.monthly_spend) ?? measured.facts.monthlySpendCents,
      agents: stated(input.agent_count) ?? measured.facts.agents,
    };
    const unpricedCalls = facts.monthlySpendCents?.basis === "measured" ? measured.unpricedCalls : null;
    const recommended = recommendedTier(current, facts);
    if (recommended === null) throw fail("invalid_request", "current_tier: there is no tier above");
    const above = tierNames.slice(tierNames.indexOf(current) + 1);
    return {
      current_tier: current,
      is_own_tier: current === context.organization.tier,
      recommended_tier: recommended,
      period: toPeriod(window),
      facts: {
        monthly_spend_cents: { ...shown(facts.monthlySpendCents), unpriced_calls: unpricedCalls },
        agent_count: shown(facts.agents),
        projected_monthly_calls: shown(facts.monthlyCalls),
        budgets: shown(facts.budgets),
        savings_share: facts.savingsShare,
        hidden_spend_cents: measured.hidden && measured.hidden.cost_microcents / MICROCENTS_PER_CENT,
        hidden_unpriced_calls: measured.hidden?.unpriced_calls ?? null,
      },
      options: above.map(tier => tierOption(current, tier, facts, context.tierPrices)),
      use_case:
        useCase === undefined ? null : { primary_use_case: useCase, points: [...useCasePoints[useCase]] },
      missing: missingOf(context, facts, unpricedCalls, above),
    };
  },
};

/** What this organization's own calls show. Without one, nothing is known. */
async function measure(
  context: Context,
  window: HistoryWindow,
): Promise<{
  readonly facts: CaseFacts;
  /** Not in the monthly spend. */
  readonly unpricedCalls: number;
  /** Before the history that the tier shows; null: no calls. */
  readonly hidden: CallSums | null;
}> {
  const { readModel, scope, organization, db } = context;
  const now = context.now();
  const shownFrom = historyStart(organization.tier, now);
  const firstCallAt = await readModel.firstCallAt(scope);
  const [recorded, thisMonth, recent, hidden, fleet, budgets, suggested] = await Promise.all([
    readModel.usage(scope, window),
    readModel.usage(scope, { from: startOfMonth(now), to: now }),
    readModel.usage(scope, { from: now - PACE_DAYS * DAY_MS, to: now }),
    firstCallAt === null || firstCallAt >= shownFrom
      ? null
      : readModel.usage(scope, { from: firstCallAt, to: shownFrom }),
    readModel.fleetCounts(scope, now),
    db
      .selectFrom("budgets")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where(inScope(scope))
      .executeTakeFirstOrThrow(),
    makeSuggestions(context, { days: MONTH_DAYS }),
  ]);
  const spent = recorded.totals.cost_microcents;
  const days = observedDays({ from: window.from, now }, firstCallAt ?? now);
  // The tier may show less than a month, and the organization may be younger.
  const monthlySpend = Math.round((spent * MONTH_DAYS) / days);
  const hasCalls = firstCallAt !== null;
  const projected = projectMonthlyCalls(
    { thisMonth: thisMonth.totals.calls, recent: recent.totals.calls, firstCallAtMs: firstCallAt },
    now,
  );
  return {
    facts: {
      monthlySpendCents: hasCalls ? { value: monthlySpend / MICROCENTS_PER_CENT, basis: "measured" } : null,
      agents: { value: fleet.active + fleet.idle + fleet.error, basis: "measured" },
      monthlyCalls: hasCalls ? { value: projected, basis: "measured" } : null,
      budgets: { value: Number(budgets.count), basis: "measured" },
      savingsShare:
        !suggested.hasEnoughCalls || spent <= 0 ? null : Math.min(1, suggested.savedMicrocents / spent),
    },
    unpricedCalls: recorded.totals.unpriced_calls,
    hidden: hidden?.totals ?? null,
  };
}

function missingOf(
  { tierPrices }: Context,
  { monthlySpendCents, savingsShare }: CaseFacts,
  unpricedCalls: number | null,
  above: readonly (typeof tierNames)[number][],
): string[] {
  const priceless = above.filter(tier => tierPrices[tier] === undefined);
  return [
    ...(priceless.length > 0
      ? [
          `The price of ${priceless.join(", ")} is not configured, so only capacity is compared: the operator sets SVC_TIER_PRICES (dollars a month, such as lite=29,pro=99)`,
        ]
      : []),
    ...(monthlySpendCents === null ? ["There are no calls yet: state monthly_spend, or send some"] : []),
    ...(unpricedCalls === null || unpricedCalls === 0
      ? []
      : [
          `The spend leaves out calls of unknown cost (${unpricedCalls.toLocaleString("en")}): add the prices of their models`,
        ]),
    ...(savingsShare === null
      ? ["No savings are known: there are too few calls for suggestions, or none has a known cost"]
      : []),
  ];
}

function stated(value: number | undefined): Based | null {
  return value === undefined ? null : { value, basis: "stated" };
}

function shown(fact: Based | null) {
  return { value: fact?.value ?? null, basis: fact?.basis ?? null };
}
