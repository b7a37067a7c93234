import { centsPerMillion, type Rate } from "../money/money.ts";
import type { Catalogue, CatalogueModel } from "../pricing/catalogue.ts";
import type { Rates } from "../pricing/rates.ts";
import type { ProviderId } from "../provider-id.ts";
import { DAY_MS } from "../time/durations.ts";
import { curatedTier, doesReason, isLegacy, isSpecial } from "./curated-models.ts";
import type { ModelTier } from "./model-tier.ts";

export interface ModelFacts {
  /** As listed in the catalogue. */
  readonly id: string;
  readonly provider: ProviderId;
  readonly tier: ModelTier;
  readonly inputCentsPerMillion: number;
  readonly outputCentsPerMillion: number;
  /** Three parts input and one part output: the number by which models are compared. */
  readonly blendedCentsPerMillion: number;
  /** List prices below any long-context threshold. */
  readonly rates: Rates;
  /** In tokens; null: unknown. */
  readonly contextWindow: number | null;
  /** Cached input costs less than uncached input. */
  readonly supportsCaching: boolean;
  readonly supportsBatch: boolean;
  /** Reasons by default. */
  readonly doesReason: boolean;
  /** UTC day; null: unknown. */
  readonly releasedOn: string | null;
  /** Superseded by a later generation. */
  readonly isLegacy: boolean;
  /** General-purpose text model: only such a model is ever a substitute for another. */
  readonly isGeneral: boolean;
}

const atListPrice = { serviceTier: null, speed: null, region: null };

/** Lower bounds of the tiers by blended price, in cents per million tokens; anything below the last is `budget`. */
const tierFloors: readonly (readonly [ModelTier, number])[] = [
  ["frontier", 700],
  ["balanced", 200],
  ["efficient", 40],
];

/** null: the catalogue has no price for it. Snapshots and aliases have the facts of the model they are listed under. */
export function modelFacts(
  catalogue: Catalogue,
  provider: ProviderId,
  model: string,
  at: Date,
): ModelFacts | null {
  const found = catalogue.find(provider, model);
  if (found === null) return null;
  const listed = listingOf(catalogue, at).byName.get(`${provider} ${found.id}`);
  return listed ?? factsOf(catalogue, { ...found, releasedOn: null }, at);
}

/** General-purpose models, cheapest first; legacy models after all others. */
export function modelsOf(
  catalogue: Catalogue,
  wanted: { readonly tier?: ModelTier | undefined; readonly provider?: ProviderId | undefined },
  at: Date,
): ModelFacts[] {
  return listingOf(catalogue, at).general.filter(
    facts =>
      (wanted.tier === undefined || facts.tier === wanted.tier) &&
      (wanted.provider === undefined || facts.provider === wanted.provider),
  );
}

function blendedCents(inputRate: Rate, outputRate: Rate): number {
  return (3 * centsPerMillion(inputRate) + centsPerMillion(outputRate)) / 4;
}

function inOrder(a: ModelFacts, b: ModelFacts): number {
  return (
    Number(a.isLegacy) - Number(b.isLegacy) ||
    a.blendedCentsPerMillion - b.blendedCentsPerMillion ||
    (a.id < b.id ? -1 : 1)
  );
}

interface Listing {
  readonly day: number;
  /** By provider and id. */
  readonly byName: ReadonlyMap<string, ModelFacts>;
  /** The general-purpose ones, ordered. */
  readonly general: readonly ModelFacts[];
}

const listings = new WeakMap<Catalogue, Listing>();

/** Prices change at most once per day, so the list is built once per day. */
function listingOf(catalogue: Catalogue, at: Date): Listing {
  const day = Math.floor(at.getTime() / DAY_MS);
  const known = listings.get(catalogue);
  if (known?.day === day) return known;
  const models = catalogue.models(at).flatMap(model => factsOf(catalogue, model, at) ?? []);
  const listing = {
    day,
    byName: new Map(models.map(facts => [`${facts.provider} ${facts.id}`, facts])),
    general: models.filter(({ isGeneral }) => isGeneral).sort(inOrder),
  };
  listings.set(catalogue, listing);
  return listing;
}

function factsOf(
  catalogue: Catalogue,
  model: Pick<CatalogueModel, "id" | "provider" | "contextWindow" | "releasedOn">,
  at: Date,
): ModelFacts | null {
  const { id, provider, contextWindow, releasedOn } = model;
  const rates = catalogue.card(provider, id, at, 0, atListPrice)?.rates;
  if (!rates) return null;
  const blendedCentsPerMillion = blendedCents(rates.input, rates.output);
  const isGeneral = rates.output > 0n && !isSpecial(provider, id);
  return {
    id,
    provider,
    tier: curatedTier(provider, id) ?? tierByPrice(blendedCentsPerMillion),
    inputCentsPerMillion: centsPerMillion(rates.input),
    outputCentsPerMillion: centsPerMillion(rates.output),
    blendedCentsPerMillion,
    rates,
    contextWindow,
    supportsCaching: rates.cache_read < rates.input,
    supportsBatch: isGeneral && !isLegacy(provider, id),
    doesReason: doesReason(provider, id) ?? false,
    releasedOn,
    isLegacy: isLegacy(provider, id),
    isGeneral,
  };
}

function tierByPrice(blended: number): ModelTier {
  return tierFloors.find(([, floor]) => blended > floor)?.[0] ?? "budget";
}
