/** What each subscription tier includes, as specified. Nothing else in the code knows these numbers. */

export const tierNames = ["starter", "lite", "pro", "enterprise"] as const;

export type Tier = (typeof tierNames)[number];

export interface TierLimits {
  readonly agents: number;
  readonly monthlyCalls: number;
  readonly burstPerMinute: number;
  readonly historyDays: number;
  readonly budgets: number;
}

const unlimited = Number.POSITIVE_INFINITY;

export const tiers: Readonly<Record<Tier, TierLimits>> = {
  starter: { agents: 3, monthlyCalls: 10_000, burstPerMinute: 10, historyDays: 7, budgets: 1 },
  lite: { agents: 10, monthlyCalls: 50_000, burstPerMinute: 100, historyDays: 30, budgets: 3 },
  pro: { agents: unlimited, monthlyCalls: 100_000, burstPerMinute: 500, historyDays: 90, budgets: 10 },
  enterprise: {
    agents: unlimited,
    monthlyCalls: unlimited,
    burstPerMinute: 10_000,
    historyDays: unlimited,
    budgets: 100,
  },
};

/** Display names. */
export const tierTitles: Readonly<Record<Tier, string>> = {
  starter: "Starter",
  lite: "Lite",
  pro: "Pro",
  enterprise: "Enterprise",
};

export function isTier(name: string): name is Tier {
  return (tierNames as readonly string[]).includes(name);
}

/** Only enterprise organizations may have their own limits. */
interface CustomLimits {
  readonly burstPerMinute: number | null;
  readonly monthlyCalls: number | null;
}

export function limitsOf(tier: Tier, custom: CustomLimits): TierLimits {
  const limits = tiers[tier];
  if (tier !== "enterprise") return limits;
  return {
    ...limits,
    burstPerMinute: custom.burstPerMinute ?? limits.burstPerMinute,
    monthlyCalls: custom.monthlyCalls ?? limits.monthlyCalls,
  };
}

/** The lowest tier that allows `count` of something, for the 402 body. */
export function lowestTierAllowing(limit: keyof TierLimits, count: number): Tier {
  return tierNames.find(tier => tiers[tier][limit] >= count) ?? "enterprise";
}
