import { centsPerMillion, type Rate } from "../money/money.ts";
import type { Catalogue, CatalogueModel } from "../pricing/catalogue.ts";
import type { Rates } from "../pricing/rates.ts";
import type { ProviderId } from "../provider-id.ts";
import { curatedTier, doesReason, isLegacy, isSpecial } from "./curated-models.ts";
import type { ModelTier } from "./model-tier.ts";

export interface ModelFacts {
  /** As the catalogue lists it. */
  readonly id: string;
  readonly provider: ProviderId;
  readonly tier: ModelTier;
  readonly inputCentsPerMillion: number;
  readonly outputCentsPerMillion: number;
  /** Three parts of input and one of output: the one number that models are compared by. */
  readonly blendedCentsPerMillion: number;
  /** List prices below any long-context threshold. */
  readonly rates: Rates;
  /** Tokens; null: not known. */
  readonly contextWindow: number | null;
  /** Cached input costs less than other input. */
  readonly supportsCaching: boolean;
  readonly supportsBatch: boolean;
  /** Thinks before it answers, unasked. */
  readonly doesReason: boolean;
  /** UTC day; null: unknown. */
  readonly releasedOn: string | null;
  /** Replaced by a later generation. */
  readonly isLegacy: boolean;
  /** Text in, text out, for any purpose: only such a model is ever put in the place of another. */
  readonly isGeneral: boolean;
}

const atListPrice = { serviceTier: null, speed: null, region: null };

/** Lower bounds of the tiers over the blended price, in cents per million tokens; what is below the last is `budget`. */
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
  const listed = listedModels(catalogue, at).get(`${provider} ${found.id}`);
  return listed ?? factsOf(catalogue, { ...found, releasedOn: null }, at);
}

/** Models that any purpose could use, cheapest first; those that are not legacy before those that are. */
export function modelsOf(
  catalogue: Catalogue,
  wanted: { readonly tier?: ModelTier | undefined; readonly provider?: ProviderId | undefined },
  at: Date,
): ModelFacts[] {
  return [...listedModels(catalogue, at).values()]
    .filter(
      facts =>
        facts.isGeneral &&
        (wanted.tier === undefined || facts.tier === wanted.tier) &&
        (wanted.provider === undefined || facts.provider === wanted.provider),
    )
    .sort(inOrder);
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

const listings = new WeakMap<Catalogue, { readonly day: number; readonly models: Map<string, ModelFacts> }>();

/** Prices change by the day: within one, the whole list is made once. */
function listedModels(catalogue: Catalogue, at: Date): Map<string, ModelFacts> {
  const day = Math.floor(at.getTime() / 86_400_000);
  const known = listings.get(catalogue);
  if (known?.day === day) return known.models;
  const models = new Map(
    catalogue.models(at).flatMap(model => {
      const facts = factsOf(catalogue, model, at);
      return facts === null ? [] : [[`${facts.provider} ${facts.id}`, facts] as const];
    }),
  );
  listings.set(catalogue, { day, models });
  return models;
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
    doesReason: doesReason(provider, id),
    releasedOn,
    isLegacy: isLegacy(provider, id),
    isGeneral,
  };
}

function tierByPrice(blended: number): ModelTier {
  return tierFloors.find(([, floor]) => blended > floor)?.[0] ?? "budget";
}
