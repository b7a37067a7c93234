/**
 * Factors on the list price for how a call was served. Read from the answer, not from the request (except for a call
 * that was cut off before reporting it): a priority call may be served as a standard one. An unknown name is priced at
 * the list price and recorded in the card (`unknown:<name>`), so that such costs can be found and rerated. Sources:
 * docs/decisions/0003-prices.md.
 */
import type { Usage } from "../money/usage.ts";
import type { ProviderId } from "../provider-id.ts";
import type { FactorByModel, FactorsByName } from "./billing/billing.ts";
import { billingOf } from "./billing/registry.ts";

export interface ServedUnder {
  readonly serviceTier: string | null;
  /** anthropic's `fast` mode. */
  readonly speed: string | null;
  /** anthropic's `inference_geo`. */
  readonly region: string | null;
  /** openai's `web_search_preview`, `google_maps`. */
  readonly searchTool?: string | null;
  /** The answer contains thoughts. */
  readonly hasThoughts?: boolean;
}

/** How a call was served, including what only its usage shows, where the provider's prices depend on it. */
export function servedWith(provider: ProviderId, served: ServedUnder, usage: Usage): ServedUnder {
  const isRelevant = usage.reasoning !== undefined && billingOf[provider].thinkingFactors !== undefined;
  return isRelevant ? { ...served, hasThoughts: true } : served;
}

export interface ServiceCondition {
  /** `standard`, or the differences from it, joined by `+`. */
  readonly name: string;
  readonly factors: readonly string[];
  /** Used instead of `factors` for cache reads, if they differ. */
  readonly cacheReadFactors?: readonly string[];
  readonly searchFactors?: readonly string[];
  /** Besides `factors`. */
  readonly outputFactors?: readonly string[];
}

const UNKNOWN = "unknown:";
const THINKING = "thinking";

/** Whether a card's condition has a part without a known factor: then its list price is a guess. */
export function isUnknownCondition(name: string): boolean {
  return name.includes(UNKNOWN);
}

export const listCondition: ServiceCondition = { name: "standard", factors: [] };

/** Other names of a tier. */
const sameTier: ReadonlyMap<string, string> = new Map([
  ["fast", "priority"], // openai's newer name
  ["on_demand_priority", "priority"], // google's `trafficType`
  ["on_demand_flex", "flex"],
]);

const listTiers: ReadonlySet<string> = new Set(["", "default", "standard", "auto", "scale", "on_demand"]);
const listSpeeds: ReadonlySet<string> = new Set(["", "standard"]);
const listRegions: ReadonlySet<string> = new Set(["", "global", "not_available"]);

export function serviceCondition(
  provider: ProviderId,
  modelName: string,
  served: ServedUnder,
): ServiceCondition {
  const billing = billingOf[provider];
  const { patternName, tierFactors, speedFactors, regionFactors, searchFactors } = billing;
  const model = patternName(modelName);
  const names: string[] = [];
  const factors: string[] = [];
  const cacheReadFactors: string[] = [];
  const apply = (name: string, listed: ReadonlySet<string>, rules: FactorsByName | undefined) => {
    if (listed.has(name)) return;
    const [, factor, ofCacheReads = factor] = ruleFor(ruleNamed(rules, name), model) ?? [];
    names.push(factor === undefined ? `${UNKNOWN}${plainName(name)}` : name);
    if (factor !== undefined && factor !== "1") factors.push(factor);
    if (ofCacheReads !== undefined && ofCacheReads !== "1") cacheReadFactors.push(ofCacheReads);
  };
  const tier = normalize(served.serviceTier);
  apply(sameTier.get(tier) ?? tier, listTiers, tierFactors);
  apply(normalize(served.speed), listSpeeds, speedFactors);
  apply(normalize(served.region), listRegions, regionFactors);
  const searchTool = normalize(served.searchTool ?? null);
  const ofSearches = factorOf(ruleNamed(searchFactors, searchTool), model);
  if (ofSearches !== undefined) names.push(searchTool);
  const ofOutput = served.hasThoughts === true ? factorOf(billing.thinkingFactors, model) : undefined;
  if (ofOutput !== undefined) names.push(THINKING);
  if (names.length === 0) return listCondition;
  return {
    name: names.join("+"),
    factors,
    ...(cacheReadFactors.join() !== factors.join() && { cacheReadFactors }),
    ...(ofSearches !== undefined && { searchFactors: [ofSearches] }),
    ...(ofOutput !== undefined && { outputFactors: [ofOutput] }),
  };
}

/** An upper bound for this model: the most expensive known factor of each service condition. */
export function dearestCondition(provider: ProviderId, modelName: string): ServiceCondition {
  const billing = billingOf[provider];
  const { patternName, tierFactors, speedFactors, regionFactors, searchFactors } = billing;
  const model = patternName(modelName);
  const names: string[] = [];
  const factors: string[] = [];
  for (const rules of [tierFactors, speedFactors, regionFactors]) {
    const dearest = dearestRule(rules, model);
    if (dearest === null) continue;
    names.push(dearest.name);
    factors.push(dearest.factor);
  }
  const search = dearestRule(searchFactors, model);
  if (search !== null) names.push(search.name);
  const ofOutput = factorOf(billing.thinkingFactors, model);
  if (ofOutput !== undefined) names.push(THINKING);
  if (names.length === 0) return listCondition;
  return {
    name: names.join("+"),
    factors,
    ...(search && { searchFactors: [search.factor] }),
    ...(ofOutput !== undefined && { outputFactors: [ofOutput] }),
  };
}

function dearestRule(
  rules: FactorsByName | undefined,
  model: string,
): { readonly name: string; readonly factor: string } | null {
  let dearest: { readonly name: string; readonly factor: string } | null = null;
  for (const [name, byModel] of Object.entries(rules ?? {})) {
    const factor = factorOf(byModel, model) ?? "1";
    if (sizeOf(factor) > sizeOf(dearest?.factor ?? "1")) dearest = { name, factor };
  }
  return dearest;
}

function ruleFor(rules: FactorByModel | undefined, model: string): FactorByModel[number] | undefined {
  return rules?.find(([pattern]) => pattern.test(model));
}

function factorOf(rules: FactorByModel | undefined, model: string): string | undefined {
  return ruleFor(rules, model)?.[1];
}

/** For comparison only: `5/3` is not exact. */
function sizeOf(factor: string): number {
  const [top, bottom = "1"] = factor.split("/");
  return Number(top) / Number(bottom);
}

function normalize(stated: string | null): string {
  return (stated ?? "").trim().toLowerCase();
}

/** The name comes from an answer: `constructor` must not match an inherited property. */
function ruleNamed(rules: FactorsByName | undefined, name: string): FactorByModel | undefined {
  return rules && Object.hasOwn(rules, name) ? rules[name] : undefined;
}

/** The name comes from a provider and is stored with the card. */
function plainName(name: string): string {
  return name.replace(/[^a-z0-9_.-]/g, "").slice(0, 32);
}
