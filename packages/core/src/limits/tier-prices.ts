import { isTier, type Tier } from "./tiers.ts";

/** Monthly price of each tier, in cents, as configured by the operator. */
export type TierPrices = Readonly<Partial<Record<Tier, number>>>;

/** "lite=29,pro=99.50": dollars per month. Throws with a readable message. */
export function parseTierPrices(text: string): TierPrices {
  const prices: Partial<Record<Tier, number>> = {};
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const [, tier = "", dollars = ""] = /^\s*(\w+)\s*=\s*(\d{1,7}(?:\.\d{1,2})?)\s*$/.exec(part) ?? [];
    if (!isTier(tier)) throw new Error("must be dollars a month by tier, such as lite=29,pro=99.50");
    if (prices[tier] !== undefined) throw new Error(`names ${tier} twice`);
    prices[tier] = Math.round(Number(dollars) * 100);
  }
  return prices;
}

/** Starter is free unless the operator sets a price. */
export function priceOf(tier: Tier, prices: TierPrices): number | null {
  return prices[tier] ?? (tier === "starter" ? 0 : null);
}
