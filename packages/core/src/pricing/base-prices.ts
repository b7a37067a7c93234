/**
 * The catalogue's base: the price data of `@pydantic/genai-prices`, compiled to exact rates. Only its data is used; its
 * own calculation uses floats, and is the oracle of a test.
 */
import { findProvider, type ModelInfo, type ModelPrice, type TieredPrices } from "@pydantic/genai-prices";
import { type Rate, ratePerMillion, ratePerThousand } from "../money/money.ts";
import type { UsageKind } from "../money/usage.ts";
import type { ProviderId } from "../provider-id.ts";
import { billingOf } from "./billing/registry.ts";
import { compileMatchRule, type ModelMatcher, textsOfMatchRule } from "./match-rule.ts";
import { type ContextTier, type PricePeriod, startOf } from "./price-period.ts";
import { completeRates, type KnownRates } from "./rates.ts";
import { toolRatesOf } from "./tool-rates.ts";

export const BASE_PRICES_SOURCE = "genai-prices@0.1.8";

/** The date of that data. */
export const BASE_PRICES_DAY = "2026-09-23";

export interface BaseModel {
  readonly id: string;
  /** The earliest date in its names; null: none has one. */
  readonly releasedOn: string | null;
  readonly contextWindow: number | null;
  readonly matches: ModelMatcher;
  /** Newest first. */
  readonly periods: readonly PricePeriod[];
}

/** The package's price key → our kind. Keys not listed here price what we do not count. */
export const kindOfPriceKey: ReadonlyMap<string, UsageKind> = new Map([
  ["input_mtok", "input"],
  ["cache_read_mtok", "cache_read"],
  ["cache_write_mtok", "cache_write"],
  ["cache_write_1h_mtok", "cache_write_1h"],
  ["input_audio_mtok", "input_audio"],
  ["cache_audio_read_mtok", "cache_read_audio"],
  ["input_image_mtok", "input_image"],
  ["cache_image_read_mtok", "cache_read_image"],
  ["output_mtok", "output"],
  ["output_audio_mtok", "output_audio"],
  ["output_image_mtok", "output_image"],
  ["web_searches_kcount", "web_searches"],
  ["storage_searches_kcount", "file_searches"],
]);

/**
 * Thresholds that the package states wrongly. OpenAI's price page lists base prices for "< 272K", but the pages of these
 * models say which prompts are long: those "with more than 272K input tokens".
 */
const correctedStarts: ReadonlyMap<number, number> = new Map([[271_999, 272_000]]);

const compiled = new Map<ProviderId, readonly BaseModel[]>();

/** In the package's order, which decides if two rules match one name. */
export function basePrices(provider: ProviderId): readonly BaseModel[] {
  let models = compiled.get(provider);
  if (!models) {
    const { packageId, serves } = billingOf[provider];
    models = (findProvider({ providerId: packageId })?.models ?? [])
      .filter(({ id }) => serves(id))
      .flatMap(model => compileModel(provider, model) ?? []);
    compiled.set(provider, models);
  }
  return models;
}

function compileModel(provider: ProviderId, model: ModelInfo): BaseModel | null {
  const stated = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  const periods: PricePeriod[] = [];
  for (const { constraint, prices } of stated) {
    // Prices by time of day are not supported: unpriced is better than wrong.
    if (constraint && constraint.type !== "start_date") return null;
    const from = constraint?.start_date ?? null;
    const tiers = compileTiers(provider, model.id, prices);
    if (!tiers) return null;
    periods.push({
      provider,
      model: model.id,
      source: BASE_PRICES_SOURCE,
      from,
      fromMs: startOf(from),
      tiers,
    });
  }
  return {
    id: model.id,
    releasedOn: earliestDay([model.id, ...textsOfMatchRule(model.match)]),
    contextWindow: model.context_window ?? null,
    matches: compileMatchRule(model.match),
    periods: periods.sort((a, b) => b.fromMs - a.fromMs),
  };
}

/** null: no input rate, as with models billed by the hour of audio. */
function compileTiers(
  provider: ProviderId,
  model: string,
  prices: ModelPrice,
): readonly [ContextTier, ...ContextTier[]] | null {
  const tierAt = (start: number | null): ContextTier | null => {
    const known = knownRates(prices, start);
    if (!known) return null;
    const rates = completeRates(provider, known, toolRatesOf(provider, model));
    const aboveInputTokens = start === null ? null : (correctedStarts.get(start) ?? start);
    return { aboveInputTokens, rates };
  };
  const lowest = tierAt(null);
  if (!lowest) return null;
  const starts = new Set(Object.values(prices).flatMap(price => tiersOf(price).map(tier => tier.start)));
  const higher = [...starts].sort((a, b) => a - b).flatMap(start => tierAt(start) ?? []);
  return [lowest, ...higher];
}

function knownRates(prices: ModelPrice, start: number | null): KnownRates | null {
  const known: { [kind in UsageKind]?: Rate } = {};
  for (const [key, price] of Object.entries(prices)) {
    const kind = kindOfPriceKey.get(key);
    if (kind === undefined || price === undefined) continue;
    const dollars = priceAt(price, start);
    known[kind] = key.endsWith("_kcount") ? ratePerThousand(dollars) : ratePerMillion(dollars);
  }
  const { input } = known;
  return input === undefined ? null : { ...known, input };
}

function priceAt(price: number | TieredPrices, start: number | null): number {
  if (typeof price === "number") return price;
  let dollars = price.base;
  for (const tier of tiersOf(price)) if (start !== null && start >= tier.start) dollars = tier.price;
  return dollars;
}

function tiersOf(price: number | TieredPrices | undefined): TieredPrices["tiers"] {
  if (price === undefined || typeof price === "number") return [];
  return [...price.tiers].sort((a, b) => a.start - b.start);
}

function earliestDay(names: readonly string[]): string | null {
  const days = names.flatMap(name => {
    const match = /(?<!\d)(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)/.exec(name);
    return match ? [`${match[1]}-${match[2]}-${match[3]}`] : [];
  });
  return days.sort()[0] ?? null;
}
