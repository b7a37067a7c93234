import type { AdditionalUsage, Event } from "@tollgate/core/event";
import { type Microcents, ZERO_MICROCENTS } from "@tollgate/core/money";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { costOfParts } from "@tollgate/core/pricing/cost";
import { estimateTokens } from "@tollgate/core/pricing/estimate";
import { encodeRateCard, priceVersion, type RateCard } from "@tollgate/core/pricing/rates";
import type { ProviderId } from "@tollgate/core/provider-id";
import { addUsage, inputTokens, outputTokens, type Usage, usageOf } from "@tollgate/core/usage";
import type { Reading } from "@tollgate/providers/meter";
import type { StoredRateCard } from "@tollgate/storage/ledger/ledger";

/** The money part of an event, and the rates that explain it. */
export interface Priced {
  readonly fields: Pick<
    Event,
    | "input_tokens"
    | "output_tokens"
    | "usage"
    | "additional_usage"
    | "usage_source"
    | "cost_microcents"
    | "cost_basis"
    | "price_version"
  >;
  readonly cards: readonly StoredRateCard[];
}

export interface PricedCall {
  readonly provider: ProviderId;
  readonly model: string;
  readonly createdAt: number;
  readonly promptBytes: number;
  /** The provider completed its answer, so it has billed something even if it does not say what. */
  readonly completed: boolean;
}

export function priceReading(call: PricedCall, reading: Reading, catalogue: Catalogue): Priced {
  const measured = measure(call, reading);
  if (measured === null) return nothingUsed();
  const { usage, source } = measured;
  const at = new Date(call.createdAt);
  const cardFor = (model: string, tokens: number) =>
    catalogue.card(call.provider, model, at, tokens, reading.served);
  const card =
    (reading.servedModel === null ? null : cardFor(reading.servedModel, inputTokens(usage))) ??
    cardFor(call.model, inputTokens(usage));
  const others = reading.additional.map(other => ({
    ...other,
    card: cardFor(other.model, inputTokens(other.usage)),
  }));
  const additional: AdditionalUsage[] = others.map(other => ({
    model: other.model,
    usage: other.usage,
    price_version: other.card === null ? null : priceVersion(other.card),
  }));
  const all = others.reduce((sum, other) => addUsage(sum, other.usage), usage);
  const counts = {
    input_tokens: inputTokens(all),
    output_tokens: outputTokens(all),
    usage,
    additional_usage: additional.length > 0 ? additional : null,
    usage_source: source,
  };
  const parts = [{ usage, card }, ...others.map(other => ({ usage: other.usage, card: other.card }))];
  const cards = parts.flatMap(part => (part.card === null ? [] : [stored(part.card)]));
  const price_version = card === null ? null : priceVersion(card);

  if (reading.reportedCost !== null) {
    return {
      fields: { ...counts, cost_microcents: reading.reportedCost, cost_basis: "reported", price_version },
      cards,
    };
  }
  if (!parts.every(isPriced)) {
    return {
      fields: { ...counts, cost_microcents: ZERO_MICROCENTS, cost_basis: "unpriced", price_version: null },
      cards,
    };
  }
  const cost: Microcents = costOfParts(parts);
  const cost_basis = source === "estimated" ? "estimated" : "priced";
  return { fields: { ...counts, cost_microcents: cost, cost_basis, price_version }, cards };
}

/** null: nothing was produced, so nothing is owed. */
function measure(
  call: PricedCall,
  reading: Reading,
): { usage: Usage; source: "provider" | "estimated" } | null {
  if (reading.usage !== null) return { usage: reading.usage, source: "provider" };
  if (!call.completed && reading.outputBytes === 0) {
    return reading.partial ? { usage: reading.partial, source: "provider" } : null;
  }
  const input = reading.partial ?? usageOf({ input: estimateTokens(call.promptBytes) });
  const output = usageOf({ output: estimateTokens(reading.outputBytes) });
  return { usage: addUsage(input, output), source: "estimated" };
}

function isPriced(part: { usage: Usage; card: RateCard | null }): part is { usage: Usage; card: RateCard } {
  return part.card !== null;
}

function nothingUsed(): Priced {
  return {
    fields: {
      input_tokens: 0,
      output_tokens: 0,
      usage: {},
      additional_usage: null,
      usage_source: "none",
      cost_microcents: ZERO_MICROCENTS,
      cost_basis: "priced",
      price_version: null,
    },
    cards: [],
  };
}

const encoded = new WeakMap<RateCard, StoredRateCard>();

function stored(card: RateCard): StoredRateCard {
  let known = encoded.get(card);
  if (!known) {
    known = { version: priceVersion(card), card: encodeRateCard(card) };
    encoded.set(card, known);
  }
  return known;
}
