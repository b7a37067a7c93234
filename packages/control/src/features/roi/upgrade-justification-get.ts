import { judgeUpgrade } from "@tollgate/core/attribution/judge-upgrade";
import { PACE_DAYS, projectMonthlyCalls } from "@tollgate/core/attribution/project-monthly-calls";
import { roiMultiplier } from "@tollgate/core/attribution/roi";
import { upgradeRoi } from "@tollgate/core/attribution/upgrade-roi";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfMonth } from "@tollgate/core/time/month";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { effectiveDays, toPeriod } from "../../kernel/to-period.ts";
import { readCredits } from "../outcomes/read-credits.ts";
import { makeSuggestions } from "../suggestions/make-suggestions.ts";

export const upgradeJustificationGet: Handler<"upgrade_justification.get"> = async (context, { days }) => {
  const { readModel, scope, organization } = context;
  const now = context.now();
  const window = historyWindow({ days }, organization.tier, now);
  const [usage, thisMonth, recent, credited, fleet, budgets, suggested, firstCallAt] = await Promise.all([
    readModel.usage(scope, window),
    readModel.usage(scope, { from: startOfMonth(now), to: now }),
    readModel.usage(scope, { from: now - PACE_DAYS * DAY_MS, to: now }),
    readCredits(context, window),
    readModel.fleetCounts(scope, now),
    countBudgets(context),
    makeSuggestions(context, { days }),
    readModel.firstCallAt(scope),
  ]);
  const { totals } = usage;
  const used = {
    agents: fleet.active + fleet.idle + fleet.error,
    budgets,
    monthlyCalls: thisMonth.totals.calls,
    projectedMonthlyCalls: projectMonthlyCalls(
      { thisMonth: thisMonth.totals.calls, recent: recent.totals.calls, firstCallAtMs: firstCallAt },
      now,
    ),
    historyDays: firstCallAt === null ? 0 : daysSince(firstCallAt, now),
  };
  const savings = suggested.hasEnoughCalls ? suggested.totalMonthlySavingsCents : null;
  const { recommendedTier, limits, reasons, unlocked } = judgeUpgrade(organization.tier, used);
  return {
    period_days: effectiveDays(window),
    period: toPeriod(window),
    current_tier: organization.tier,
    recommended_tier: recommendedTier,
    already_paying: organization.tier !== "starter",
    usage: {
      call_count: totals.calls,
      cost_microcents: totals.cost_microcents,
      cost_cents: totals.cost_microcents / MICROCENTS_PER_CENT,
      unpriced_calls: totals.unpriced_calls,
      value_cents: credited.valueCents,
      revenue_cents: credited.revenueCents,
      roi_multiplier: roiMultiplier(credited.revenueCents, totals.cost_microcents),
      agents: used.agents,
      budgets,
      calls_this_month: used.monthlyCalls,
      projected_calls_this_month: used.projectedMonthlyCalls,
    },
    limits,
    estimated_savings_monthly_cents: savings,
    upgrade: upgradeRoi(organization.tier, recommendedTier, context.tierPrices, savings),
    reasons,
    unlocked,
  };
};

async function countBudgets({ db, scope }: Context): Promise<number> {
  const { count } = await db
    .selectFrom("budgets")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where(inScope(scope))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function daysSince(at: number, now: number): number {
  return Math.floor((now - at) / DAY_MS);
}
