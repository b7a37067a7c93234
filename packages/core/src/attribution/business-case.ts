import { priceOf, type TierPrices } from "../limits/tier-prices.ts";
import { type Tier, type TierLimits, tierNames, tiers } from "../limits/tiers.ts";

export const useCases = [
  "customer_support",
  "data_processing",
  "content_generation",
  "code_assistant",
] as const;
export type UseCase = (typeof useCases)[number];

/** Where a number comes from: the caller stated it, or this organization's own calls show it. */
export type Basis = "stated" | "measured";

export interface Based {
  readonly value: number;
  readonly basis: Basis;
}

/** null: not known. */
export interface CaseFacts {
  readonly monthlySpendCents: Based | null;
  readonly agents: Based | null;
  readonly monthlyCalls: Based | null;
  readonly budgets: Based | null;
  /** What the organization's own suggestions would save of its own spend, as a share of it. */
  readonly savingsShare: number | null;
}

const limitNames = {
  agents: "agents",
  monthly_calls: "monthlyCalls",
  budgets: "budgets",
  history_days: "historyDays",
} as const satisfies Record<string, keyof TierLimits>;

export const caseLimits = ["agents", "monthly_calls", "budgets", "history_days"] as const;
type CaseLimit = (typeof caseLimits)[number];

/** What a higher tier would change. Nothing in it is a guess: what is not known is null. */
export function tierOption(current: Tier, target: Tier, facts: CaseFacts, prices: TierPrices) {
  const price = priceOf(target, prices);
  const now = priceOf(current, prices);
  const extra = price === null || now === null ? null : price - now;
  const spend = facts.monthlySpendCents?.value ?? null;
  const savings = savingsOf(current, facts);
  return {
    tier: target,
    price_monthly_cents: price,
    extra_cost_monthly_cents: extra,
    savings_monthly_cents: savings,
    net_monthly_cents: extra === null || savings === null ? null : savings - extra,
    break_even_savings_pct:
      extra === null || spend === null || spend <= 0 ? null : Math.round((10_000 * extra) / spend) / 100,
    limits: caseLimits.map(limit => limitChange(limit, current, target, facts)),
    unlocks: unlocked(current),
  };
}

/** Suggestions are what the free tier does not show; every paid tier has them already. */
function savingsOf(current: Tier, { savingsShare, monthlySpendCents }: CaseFacts): number | null {
  if (current !== "starter") return 0;
  if (savingsShare === null || monthlySpendCents === null) return null;
  return Math.round(savingsShare * monthlySpendCents.value);
}

function limitChange(limit: CaseLimit, current: Tier, target: Tier, facts: CaseFacts) {
  const key = limitNames[limit];
  const used = usedOf(limit, facts);
  return {
    limit,
    used: used?.value ?? null,
    basis: used?.basis ?? null,
    allowed_now: finite(tiers[current][key]),
    allowed_then: finite(tiers[target][key]),
    is_reached_now: used === null ? null : used.value >= tiers[current][key],
    is_reached_then: used === null ? null : used.value >= tiers[target][key],
  };
}

function usedOf(limit: CaseLimit, facts: CaseFacts): Based | null {
  switch (limit) {
    case "agents":
      return facts.agents;
    case "monthly_calls":
      return facts.monthlyCalls;
    case "budgets":
      return facts.budgets;
    case "history_days":
      // Time passes for everybody: a longer history is shown, it is not used up.
      return null;
    default:
      return limit satisfies never;
  }
}

function unlocked(current: Tier): string[] {
  return current === "starter" ? ["alert preferences", "suggestions", "the cost leak scan"] : [];
}

/** The lowest tier above whose limits are not reached; the next one where none is. */
export function recommendedTier(current: Tier, facts: CaseFacts): Tier | null {
  const above = tierNames.slice(tierNames.indexOf(current) + 1);
  const fits = (tier: Tier) =>
    caseLimits.every(limit => limitChange(limit, current, tier, facts).is_reached_then !== true);
  return above.find(fits) ?? above.at(-1) ?? null;
}

/** What of the product serves a use case: words, no numbers. */
export const useCasePoints: Readonly<Record<UseCase, readonly string[]>> = {
  customer_support: [
    "Outcomes of sessions show what a resolved conversation costs",
    "Latency thresholds can alert before customers wait",
  ],
  data_processing: [
    "Budgets that block stop a batch that runs away",
    "The leak scan finds repeated prompts and missing caching",
  ],
  content_generation: [
    "Token guardrails bound the length of answers",
    "Experiments compare a cheaper model by outcomes before it is adopted",
  ],
  code_assistant: [
    "Prompt caching saves the repeated context of long sessions",
    "Spend by session and customer shows what a task costs",
  ],
};

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}
