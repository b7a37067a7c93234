/** A catalogue price: one model's rates from one day on, by context tier, ready to become cards. */
import type { ProviderId } from "../provider-id.ts";
import { type RateCard, type Rates, scaleRates } from "./rates.ts";
import type { ServiceCondition } from "./service-conditions.ts";

export interface ContextTier {
  /** Exclusive: the tier applies to requests with more input tokens than this. null: the lowest tier. */
  readonly aboveInputTokens: number | null;
  readonly rates: Rates;
}

export interface PricePeriod {
  readonly provider: ProviderId;
  readonly model: string;
  readonly source: string;
  /** UTC day, and its first millisecond; null is minus infinity. */
  readonly from: string | null;
  readonly fromMs: number;
  /** Ascending by threshold; the first has none. */
  readonly tiers: readonly [ContextTier, ...ContextTier[]];
}

export function startOf(day: string | null): number {
  return day === null ? Number.NEGATIVE_INFINITY : Date.parse(`${day}T00:00:00Z`);
}

/** A crossed threshold reprices the whole request: input, cache and output. */
export function tierFor(period: PricePeriod, inputTokens: number): ContextTier {
  let found = period.tiers[0];
  for (const tier of period.tiers) {
    if (tier.aboveInputTokens !== null && inputTokens > tier.aboveInputTokens) found = tier;
  }
  return found;
}

const cards = new WeakMap<ContextTier, Map<string, RateCard>>();

/** A tier has few conditions; the limit protects against a provider that invents a new tier name with every answer. */
const MAX_CONDITIONS = 64;

/** Always the same card object, so that its version is computed once. */
export function cardFor(period: PricePeriod, tier: ContextTier, condition: ServiceCondition): RateCard {
  let ofTier = cards.get(tier);
  if (!ofTier) {
    ofTier = new Map();
    cards.set(tier, ofTier);
  }
  // Models of one price may have different factors under one name: google's flex tier, with and without cheaper cache reads.
  const key = JSON.stringify(condition);
  let card = ofTier.get(key);
  if (!card) {
    card = {
      provider: period.provider,
      model: period.model,
      source: period.source,
      effectiveFrom: period.from,
      aboveInputTokens: tier.aboveInputTokens,
      condition: condition.name,
      rates: scaleRates(tier.rates, condition),
    };
    if (ofTier.size >= MAX_CONDITIONS) ofTier.clear();
    ofTier.set(key, card);
  }
  return card;
}
