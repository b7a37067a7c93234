import { type Tier, type TierLimits, tierNames, tiers } from "../tiers.ts";

/** What an organization uses of what its tier counts. */
export interface TierUse {
  readonly agents: number;
  readonly budgets: number;
  readonly monthlyCalls: number;
  /** At the month's pace so far. */
  readonly projectedMonthlyCalls: number;
  /** How long ago the first call was. */
  readonly historyDays: number;
}

export interface LimitUse {
  readonly limit: "monthly_calls" | "agents" | "budgets" | "history_days";
  readonly used: number;
  readonly allowed: number | null;
  readonly allowed_after: number | null;
  readonly is_reached: boolean;
}

export interface UpgradeVerdict {
  /** null: the tier fits, or there is none above it. */
  readonly recommendedTier: Tier | null;
  readonly limits: LimitUse[];
  readonly reasons: string[];
  readonly unlocked: string[];
}

/** From what is really used: the lowest tier above this one that nothing presses against. */
export function judgeUpgrade(tier: Tier, use: TierUse): UpgradeVerdict {
  const pressed = pressedLimits(tier, use);
  const above = tierNames.slice(tierNames.indexOf(tier) + 1);
  const fitting = above.find(candidate => pressedLimits(candidate, use).length === 0) ?? above.at(-1) ?? null;
  const recommendedTier = pressed.length > 0 ? fitting : null;
  return {
    recommendedTier,
    limits: measured(use).map(({ limit, key, used }) => ({
      limit,
      used,
      allowed: finite(tiers[tier][key]),
      allowed_after: finite(tiers[recommendedTier ?? tier][key]),
      is_reached: pressed.some(one => one.limit === limit),
    })),
    reasons: pressed.map(({ limit, used, allowed }) => `${sentences[limit]}: ${used} of ${allowed}`),
    unlocked: recommendedTier === null ? [] : unlockedBy(tier, recommendedTier),
  };
}

interface Measured {
  readonly limit: LimitUse["limit"];
  readonly key: keyof TierLimits;
  readonly used: number;
}

function measured(use: TierUse): Measured[] {
  return [
    { limit: "monthly_calls", key: "monthlyCalls", used: use.projectedMonthlyCalls },
    { limit: "agents", key: "agents", used: use.agents },
    { limit: "budgets", key: "budgets", used: use.budgets },
    { limit: "history_days", key: "historyDays", used: use.historyDays },
  ];
}

/** A number that is counted presses when it is used up; a wish to look back when it goes further than allowed. */
function pressedLimits(tier: Tier, use: TierUse): (Measured & { readonly allowed: number })[] {
  return measured(use)
    .map(line => ({ ...line, allowed: tiers[tier][line.key] }))
    .filter(({ limit, used, allowed }) => (limit === "history_days" ? used > allowed : used >= allowed));
}

const sentences = {
  monthly_calls: "Calls that this month comes to at its pace",
  agents: "Agents",
  budgets: "Budgets",
  history_days: "Days since the first call, of which the tier shows the last",
} as const satisfies Record<LimitUse["limit"], string>;

function unlockedBy(tier: Tier, next: Tier): string[] {
  const [now, then] = [tiers[tier], tiers[next]];
  const said = (limit: number) => (Number.isFinite(limit) ? limit.toLocaleString("en-US") : "unlimited");
  return [
    `${said(then.monthlyCalls)} calls a month instead of ${said(now.monthlyCalls)}`,
    `${said(then.agents)} agents instead of ${said(now.agents)}`,
    `${said(then.historyDays)} days of history instead of ${said(now.historyDays)}`,
    `${said(then.budgets)} budgets instead of ${said(now.budgets)}`,
    ...(tier === "starter" ? ["alert preferences, suggestions and the cost leak scan"] : []),
  ].filter(line => !/^(\S+) .* instead of \1$/.test(line));
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}
