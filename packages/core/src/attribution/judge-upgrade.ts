import { type Tier, type TierLimits, tierNames, tiers } from "../limits/tiers.ts";

/** An organization's usage of its tier's limits. */
interface TierUse {
  readonly agents: number;
  readonly budgets: number;
  readonly monthlyCalls: number;
  /** This month's calls so far, extrapolated at the pace of the last days. */
  readonly projectedMonthlyCalls: number;
  /** Days since the first call. */
  readonly historyDays: number;
}

interface LimitUse {
  readonly limit: "monthly_calls" | "agents" | "budgets" | "history_days";
  readonly used: number;
  readonly allowed: number | null;
  readonly allowed_after: number | null;
  readonly is_reached: boolean;
}

interface UpgradeVerdict {
  /** null: the tier fits, or is the highest. */
  readonly recommendedTier: Tier | null;
  readonly limits: LimitUse[];
  readonly reasons: string[];
  readonly unlocked: string[];
}

/**
 * Based on actual usage: the lowest higher tier whose limits are not nearly used up. History grows with time regardless
 * of usage: it is stated, but is never a reason.
 */
export function judgeUpgrade(tier: Tier, use: TierUse): UpgradeVerdict {
  const pressed = pressedLimits(tier, use);
  const above = tierNames.slice(tierNames.indexOf(tier) + 1);
  const fitting = above.find(candidate => pressedLimits(candidate, use).length === 0) ?? above.at(-1) ?? null;
  const recommendedTier = pressed.length > 0 ? fitting : null;
  const stated = (key: keyof TierLimits) => ({
    allowed: finite(tiers[tier][key]),
    allowed_after: finite(tiers[recommendedTier ?? tier][key]),
  });
  return {
    recommendedTier,
    limits: [
      ...counted(use).map(({ limit, key, used }) => ({
        limit,
        used,
        ...stated(key),
        is_reached: used >= tiers[tier][key],
      })),
      {
        limit: "history_days",
        used: use.historyDays,
        ...stated("historyDays"),
        is_reached: use.historyDays > tiers[tier].historyDays,
      },
    ],
    reasons: pressed.map(({ limit, key, used }) => `${sentences[limit]}: ${used} of ${tiers[tier][key]}`),
    unlocked: recommendedTier === null ? [] : unlockedBy(tier, recommendedTier),
  };
}

type CountedLimit = Exclude<LimitUse["limit"], "history_days">;

interface Counted {
  readonly limit: CountedLimit;
  readonly key: keyof TierLimits;
  readonly used: number;
}

function counted(use: TierUse): Counted[] {
  return [
    { limit: "monthly_calls", key: "monthlyCalls", used: use.projectedMonthlyCalls },
    { limit: "agents", key: "agents", used: use.agents },
    { limit: "budgets", key: "budgets", used: use.budgets },
  ];
}

/** The limits that are nearly used up. */
function pressedLimits(tier: Tier, use: TierUse): Counted[] {
  return counted(use).filter(({ key, used }) => used >= tiers[tier][key]);
}

const sentences = {
  monthly_calls: "Projected calls this month",
  agents: "Agents",
  budgets: "Budgets",
} as const satisfies Record<CountedLimit, string>;

function unlockedBy(tier: Tier, next: Tier): string[] {
  const [now, then] = [tiers[tier], tiers[next]];
  const limitInWords = (limit: number) =>
    Number.isFinite(limit) ? limit.toLocaleString("en-US") : "unlimited";
  return [
    `${limitInWords(then.monthlyCalls)} calls a month instead of ${limitInWords(now.monthlyCalls)}`,
    `${limitInWords(then.agents)} agents instead of ${limitInWords(now.agents)}`,
    `${limitInWords(then.historyDays)} days of history instead of ${limitInWords(now.historyDays)}`,
    `${limitInWords(then.budgets)} budgets instead of ${limitInWords(now.budgets)}`,
    ...(tier === "starter" ? ["alert preferences, suggestions and the cost leak scan"] : []),
  ].filter(line => !/^(\S+) .* instead of \1$/.test(line));
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}
