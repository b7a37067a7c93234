/**
 * Determines a call's price. Four layers, the first with a price wins: what the organization has set for itself, the
 * operator's file, our corrections, the base data. The data plane needs it for every call, so everything is compiled once
 * and cached by name.
 */
import type { Rate } from "../money/money.ts";
import { type ProviderId, providerIds } from "../provider-id.ts";
import { BASE_PRICES_DAY, type BaseModel, basePrices } from "./base-prices.ts";
import { billingOf } from "./billing/registry.ts";
import { modelAliases } from "./model-aliases.ts";
import { plainName } from "./model-name.ts";
import {
  compileOrganizationPrices,
  compileOverrides,
  ORGANIZATION_SOURCE,
  type OrganizationPrice,
  type OverridePeriod,
  type PriceOverrides,
  parsePriceOverrides,
} from "./overrides.ts";
import { ownPrices } from "./own-prices.ts";
import { cardFor, type PricePeriod, tierFor } from "./price-period.ts";
import type { RateCard } from "./rates.ts";
import { isRevisionOf } from "./revision.ts";
import {
  dearestCondition,
  listCondition,
  type ServedUnder,
  type ServiceCondition,
  serviceCondition,
} from "./service-conditions.ts";

export interface CatalogueModel {
  readonly id: string;
  readonly provider: ProviderId;
  /** A date; null: unknown. */
  readonly releasedOn: string | null;
  /** Epoch seconds; the date of our data if the model's own is unknown. */
  readonly created: number;
  /** List price below any long-context threshold. */
  readonly inputRate: Rate;
  readonly outputRate: Rate;
  readonly contextWindow: number | null;
}

interface FoundModel {
  /** As listed by `models()`: the id under which names and snapshots of this model are priced. */
  readonly id: string;
  readonly provider: ProviderId;
  readonly contextWindow: number | null;
}

export interface Catalogue {
  /** All models with a price at that date. */
  models(at: Date): CatalogueModel[];
  find(provider: ProviderId, model: string): FoundModel | null;
  /** The provider of a model name, for routing: by a priced model, otherwise by the name's family. */
  providerOf(model: string): ProviderId | null;
  /**
   * The name under which an answer is priced: the one that the provider states, or the requested one, if only that has a
   * price of the organization's or the operator's and both name one model. Providers answer an alias with the model's name.
   * null: the provider stated none.
   */
  answeringName(provider: ProviderId, requested: string, served: string | null, at: Date): string | null;
  /** null: unpriced. `inputTokens` is the whole prompt, cached or not. */
  card(
    provider: ProviderId,
    model: string,
    at: Date,
    inputTokens: number,
    served: ServedUnder,
  ): RateCard | null;
  /**
   * Every card that bounds a call with a prompt of at most `maxInputTokens`, under any service conditions: one for each
   * side of a long-context threshold that it may reach. Empty: unpriced, so nothing bounds it.
   */
  dearestCards(provider: ProviderId, model: string, at: Date, maxInputTokens: number): RateCard[];
}

interface Resolved extends FoundModel {
  /** Its id in the prices that everybody has; null if only the operator or the organization has one for it. */
  readonly listedId: string | null;
  readonly releasedOn: string | null;
  readonly name: string;
  /** In the order of matching. */
  readonly periods: readonly PricePeriod[];
  readonly conditions: Map<string, ServiceCondition>;
}

/** Callers choose the names, so an unbounded cache could be used to exhaust memory. */
const MAX_REMEMBERED = 4096;

/** Cannot collide with a condition's key: those contain line breaks. */
const DEAREST = "dearest";

const TOLLGATE_SOURCE = "tollgate";
const FILE_SOURCE = "file";

let compiledOwnPrices: readonly OverridePeriod[] | undefined;

/** Compiled for the first catalogue: most commands need none, and must not wait for it. */
function tollgatePrices(): readonly OverridePeriod[] {
  compiledOwnPrices ??= compileOverrides(TOLLGATE_SOURCE, parsePriceOverrides(ownPrices));
  return compiledOwnPrices;
}

export function createCatalogue(
  options: {
    /** The operator's file. */
    readonly overrides?: PriceOverrides;
    readonly ofOrganization?: readonly OrganizationPrice[];
  } = {},
): Catalogue {
  // Now rather than at the first lookup, which would delay a call.
  tollgatePrices();
  const filePrices = [
    ...compileOrganizationPrices(options.ofOrganization ?? []),
    ...compileOverrides(FILE_SOURCE, options.overrides ?? []),
  ];
  const resolve = (provider: ProviderId, name: string): Resolved | null => {
    const alias = modelAliases[provider].get(name);
    const own = resolveModel(provider, name, filePrices);
    const model = alias === undefined ? null : resolveModel(provider, alias, filePrices);
    if (own === null || model === null) return own ?? model;
    // The alias has a price of its own, perhaps only from some day on.
    return { ...model, id: own.id, periods: [...own.periods, ...model.periods] };
  };
  const remembered: { readonly [provider in ProviderId]: Map<string, Resolved | null> } = {
    openai: new Map(),
    anthropic: new Map(),
    google: new Map(),
    xai: new Map(),
  };
  const routes = new Map<string, ProviderId | null>();

  function lookup(provider: ProviderId, model: string): Resolved | null {
    const known = remembered[provider].get(model);
    if (known !== undefined) return known;
    return remember(remembered[provider], model, resolve(provider, plainName(provider, model)));
  }

  return {
    models(at) {
      return providerIds.flatMap(provider =>
        listedIds(provider, filePrices).flatMap(id => {
          const model = resolve(provider, id);
          const period = model && periodAt(model.periods, at);
          // An id that its own rule does not match names a family of fine-tunes, and cannot be called.
          if (!model || !period || model.id !== id || id.endsWith("-")) return [];
          const { rates } = period.tiers[0];
          return [
            {
              id,
              provider,
              releasedOn: model.releasedOn,
              created: Date.parse(`${model.releasedOn ?? BASE_PRICES_DAY}T00:00:00Z`) / 1000,
              inputRate: rates.input,
              outputRate: rates.output,
              contextWindow: model.contextWindow,
            },
          ];
        }),
      );
    },

    find(provider, model) {
      const found = lookup(provider, model);
      return found && { id: found.id, provider, contextWindow: found.contextWindow };
    },

    providerOf(model) {
      const known = routes.get(model);
      if (known !== undefined) return known;
      const name = model.trim().toLowerCase();
      const stated = filePrices.find(entry => entry.model === name)?.provider;
      const priced = stated ?? providerIds.find(provider => lookup(provider, model));
      // A model released after the price data must still be routed; it is then unpriced, and reported as such.
      return remember(
        routes,
        model,
        priced ?? providerIds.find(id => billingOf[id].modelNames.test(plainName(id, model))) ?? null,
      );
    },

    answeringName(provider, requested, served, at) {
      if (served === null) return null;
      const [asked, answering] = [lookup(provider, requested), lookup(provider, served)];
      if (asked === null || answering === null || asked.listedId === null) return served;
      const isOneModel = asked.listedId === answering.listedId;
      return isOneModel && authorityAt(asked, at) > authorityAt(answering, at) ? requested : served;
    },

    card(provider, model, at, inputTokens, served) {
      const found = lookup(provider, model);
      const period = found && periodAt(found.periods, at);
      if (!period) return null;
      return cardFor(period, tierFor(period, inputTokens), conditionOf(found, served));
    },

    dearestCards(provider, model, at, maxInputTokens) {
      const found = lookup(provider, model);
      const period = found && periodAt(found.periods, at);
      if (!period) return [];
      const condition =
        found.conditions.get(DEAREST) ??
        remember(found.conditions, DEAREST, dearestCondition(provider, found.name));
      return period.tiers
        .filter(tier => (tier.aboveInputTokens ?? -1) < maxInputTokens)
        .map(tier => cardFor(period, tier, condition));
    },
  };
}

function periodAt(periods: readonly PricePeriod[], at: Date): PricePeriod | null {
  const ms = at.getTime();
  for (const period of periods) if (period.fromMs <= ms) return period;
  return null;
}

/** Whose price applies: the higher the number, the closer to the caller. */
function authorityAt({ periods }: Resolved, at: Date): number {
  return [FILE_SOURCE, ORGANIZATION_SOURCE].indexOf(periodAt(periods, at)?.source ?? "");
}

function conditionOf(model: Resolved, served: ServedUnder): ServiceCondition {
  const { serviceTier, speed, region, searchTool = null, hasThoughts = false } = served;
  const isListed = serviceTier === null && speed === null && region === null && searchTool === null;
  if (isListed && !hasThoughts) return listCondition;
  const key = `${serviceTier}\n${speed}\n${region}\n${searchTool}\n${hasThoughts}`;
  return (
    model.conditions.get(key) ??
    remember(model.conditions, key, serviceCondition(model.provider, model.name, served))
  );
}

function remember<Value>(memory: Map<string, Value>, key: string, value: Value): Value {
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(key, value);
  return value;
}

function resolveModel(
  provider: ProviderId,
  name: string,
  filePrices: readonly OverridePeriod[],
): Resolved | null {
  const base = baseModelOf(provider, name);
  const corrected = entriesFor(tollgatePrices(), provider, name, base?.id ?? null);
  const correctedId = corrected.find(entry => entry.model !== null)?.model ?? null;
  const listedId = correctedId ?? base?.id ?? null;
  const found = entriesFor(filePrices, provider, name, listedId);
  // Even a more specific entry of the file does not replace a price that the organization has set.
  const stated = [...found.filter(isOfOrganization), ...found.filter(entry => !isOfOrganization(entry))];
  const statedId = stated.find(entry => entry.model !== null)?.model ?? null;
  const entries = [...stated, ...corrected];
  const periods = [...entries.map(entry => entry.period), ...(base?.periods ?? [])];
  if (periods.length === 0) return null;
  return {
    id: statedId ?? listedId ?? name,
    listedId,
    provider,
    name,
    releasedOn: entries.find(entry => entry.created)?.created ?? base?.releasedOn ?? null,
    contextWindow: entries.find(entry => entry.contextWindow)?.contextWindow ?? base?.contextWindow ?? null,
    periods,
    conditions: new Map(),
  };
}

function isOfOrganization({ period }: OverridePeriod): boolean {
  return period.source === ORGANIZATION_SOURCE;
}

/**
 * More specific entries first, and newer first among equally specific ones. Providers answer with dated snapshots of
 * the requested model, and prices are looked up by the answer: an entry for `gpt-4o-mini` that did not match
 * `gpt-4o-mini-2024-07-18` would never apply. For the same reason, the id under which the catalogue lists a model
 * matches every name of that model.
 */
function entriesFor(
  entries: readonly OverridePeriod[],
  provider: ProviderId,
  name: string,
  listedId: string | null,
): OverridePeriod[] {
  const isOurs = ({ period }: OverridePeriod): boolean => period.source === TOLLGATE_SOURCE;
  // An operator's prefix means every name that begins with it. Ours means one model, whose name others may begin with.
  const matchesPrefix = (entry: OverridePeriod, prefix: string): boolean =>
    isOurs(entry) && !prefix.endsWith("-")
      ? isRevisionOf(name, prefix, billingOf[provider].modeWords)
      : name.startsWith(prefix);
  const exactness = (entry: OverridePeriod): number => {
    const { model, prefix } = entry;
    if (model === name) return 3_000;
    if (model !== null && name.startsWith(model) && isSnapshotDate(name.slice(model.length))) return 2_000;
    // Providers serve `-latest` and `-preview` at the price of their model. `claude-fable-5-20260901` begins with
    // `claude-fable-5-2` and is a version of Fable 5, so the model's name has to end where a word does.
    if (model !== null && isOurs(entry) && name.startsWith(`${model}-`) && isRevisionOf(name, model))
      return 1_500;
    if (model !== null && model === listedId) return 1_000;
    return prefix !== null && matchesPrefix(entry, prefix) ? prefix.length : 0;
  };
  return entries
    .filter(entry => entry.provider === provider && exactness(entry) > 0)
    .sort((a, b) => exactness(b) - exactness(a) || b.period.fromMs - a.period.fromMs);
}

function isSnapshotDate(suffix: string): boolean {
  return /^[-@]20\d\d(-?)\d\d\1\d\d$/.test(suffix);
}

/** Looks up a name like the package: its rules in order, then again with a compact date spelled out. */
function baseModelOf(provider: ProviderId, name: string): BaseModel | null {
  const models = basePrices(provider);
  const spelledOut = name.replace(/-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g, "-$1-$2-$3");
  return models.find(model => model.matches(name)) ?? models.find(model => model.matches(spelledOut)) ?? null;
}

function listedIds(provider: ProviderId, filePrices: readonly OverridePeriod[]): string[] {
  const ids = new Set(basePrices(provider).map(model => model.id));
  for (const entry of [...tollgatePrices(), ...filePrices]) {
    if (entry.provider === provider && entry.model !== null) ids.add(entry.model);
  }
  return [...ids];
}
