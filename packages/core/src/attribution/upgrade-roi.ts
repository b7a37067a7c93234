import { priceOf, type TierPrices } from "../limits/tier-prices.ts";
import { type Tier, tierNames } from "../limits/tiers.ts";
import { MICROCENTS_PER_CENT } from "../money/money.ts";

interface UpgradeRoi {
  /** The recommended tier, otherwise the next one; null: already the highest. */
  readonly target_tier: Tier | null;
  readonly price_monthly_cents: number | null;
  readonly extra_cost_monthly_cents: number | null;
  readonly benefit_monthly_cents: number | null;
  readonly net_monthly_cents: number | null;
  readonly roi_multiplier: number | null;
  readonly note: string | null;
}

/**
 * The monthly cost and gain of an upgrade. The gain is what the suggestions would save, for tiers that cannot see them
 * yet; paying tiers already have them. Higher limits on calls, agents or history have no price and are not counted.
 */
export function upgradeRoi(
  current: Tier,
  recommended: Tier | null,
  prices: TierPrices,
  savingsMonthlyCents: number | null,
): UpgradeRoi {
  const target = recommended ?? tierNames[tierNames.indexOf(current) + 1] ?? null;
  const price = target === null ? null : priceOf(target, prices);
  const before = priceOf(current, prices);
  const extra = price === null || before === null ? null : price - before;
  const benefit = target === null ? null : current === "starter" ? savingsMonthlyCents : 0;
  const known = extra === null || benefit === null ? null : { extra, benefit };
  return {
    target_tier: target,
    price_monthly_cents: price,
    extra_cost_monthly_cents: extra,
    benefit_monthly_cents: benefit,
    net_monthly_cents:
      known && Math.round((known.benefit - known.extra) * MICROCENTS_PER_CENT) / MICROCENTS_PER_CENT,
    roi_multiplier: known && known.extra > 0 ? Math.round((known.benefit / known.extra) * 100) / 100 : null,
    note: noteOf(current, target, extra, benefit),
  };
}

function noteOf(current: Tier, target: Tier | null, extra: number | null, benefit: number | null) {
  if (target === null) return `There is no tier above ${current}.`;
  if (extra === null) {
    return `The price of ${priceless(current, target)} is not configured, so the ROI cannot be calculated: set SVC_TIER_PRICES (dollars a month, such as lite=29,pro=99).`;
  }
  if (benefit === null) return "Not enough data yet to estimate savings.";
  if (current !== "starter")
    return "The suggestions are included already: what is gained is room, which has no price here.";
  return null;
}

/** Starter costs nothing unless the operator sets a price. */
function priceless(current: Tier, target: Tier): string {
  return current === "starter" ? target : `${current} or ${target}`;
}
