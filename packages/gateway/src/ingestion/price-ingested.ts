import type { Event } from "@tollgate/core/event";
import type { IngestedCall } from "@tollgate/core/ingestion/call";
import { ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { inputTokens } from "@tollgate/core/money/usage";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { costOf } from "@tollgate/core/pricing/cost";
import { encodeRateCard, priceVersion, type RateCard } from "@tollgate/core/pricing/rates";
import { isSameModel } from "@tollgate/core/pricing/same-model";
import { isUnknownCondition, servedWith } from "@tollgate/core/pricing/service-conditions";
import { isProviderId } from "@tollgate/core/provider-id";
import type { StoredRateCard } from "@tollgate/storage/ledger/settling";

type Money = Pick<Event, "usage_source" | "cost_microcents" | "cost_basis" | "price_version">;

/** A reported cost is kept; otherwise the catalogue's price at the time of the call; otherwise unknown, not zero. */
export function priceIngested(
  call: IngestedCall,
  provider: string,
  model: string,
  catalogue: Catalogue,
): { readonly money: Money; readonly cards: readonly StoredRateCard[] } {
  if (call.cost !== null) {
    return {
      money: {
        usage_source: "provider",
        cost_microcents: call.cost,
        cost_basis: "reported",
        price_version: null,
      },
      cards: [],
    };
  }
  if (call.usage === null) {
    // A failed call without token counts was refused and cost nothing; a successful one has an unknown cost.
    const basis = call.status === "error" ? "priced" : "unpriced";
    return {
      money: {
        usage_source: "none",
        cost_microcents: ZERO_MICROCENTS,
        cost_basis: basis,
        price_version: null,
      },
      cards: [],
    };
  }
  const found = cardOf(call, provider, model, catalogue);
  const cost = found && costOf(call.usage, found.card);
  if (found === null || cost === null) {
    return {
      money: {
        usage_source: "provider",
        cost_microcents: ZERO_MICROCENTS,
        cost_basis: "unpriced",
        price_version: null,
      },
      cards: [],
    };
  }
  const { card, isCertain } = found;
  const version = priceVersion(card);
  return {
    money: {
      usage_source: "provider",
      cost_microcents: cost,
      cost_basis: isCertain ? "priced" : "estimated",
      price_version: version,
    },
    cards: [{ version, card: encodeRateCard(card) }],
  };
}

/**
 * Not certain: another model than the requested one has answered, and only the requested one has a price; or the service
 * has no known factor.
 */
function cardOf(
  call: IngestedCall,
  provider: string,
  model: string,
  catalogue: Catalogue,
): { readonly card: RateCard; readonly isCertain: boolean } | null {
  if (!isProviderId(provider) || call.usage === null) return null;
  const at = new Date(call.createdAtMs);
  const tokens = inputTokens(call.usage);
  const { servedModel, serviceTier } = call;
  const served = servedWith(provider, { serviceTier, speed: null, region: null }, call.usage);
  const answering = catalogue.answeringName(provider, model, servedModel, at);
  const own = answering === null ? null : catalogue.card(provider, answering, at, tokens, served);
  if (own !== null) return { card: own, isCertain: !isUnknownCondition(own.condition) };
  const card = catalogue.card(provider, model, at, tokens, served);
  if (card === null) return null;
  const isModelKnown = servedModel === null || isSameModel(catalogue, provider, servedModel, model);
  return { card, isCertain: isModelKnown && !isUnknownCondition(card.condition) };
}
