/**
 * Factors on the list price for how a call was served. Read from the answer, not from the request (except for a call
 * that was cut off before reporting it): a priority call may be served as a standard one. An unknown name is priced at
 * the list price and recorded in the card (`unknown:<name>`), so that such costs can be found and rerated. Sources:
 * docs/decisions/0003-prices.md.
 */
import type { ProviderId } from "../provider-id.ts";

export interface ServedUnder {
  readonly serviceTier: string | null;
  /** anthropic's `fast` mode. */
  readonly speed: string | null;
  /** anthropic's `inference_geo`. */
  readonly region: string | null;
  /** openai's `web_search_preview`. */
  readonly searchTool?: string | null;
}

export interface ServiceCondition {
  /** `standard`, or the differences from it, joined by `+`. */
  readonly name: string;
  readonly factors: readonly string[];
  /** Used instead of `factors` for cache reads, if they differ. */
  readonly cacheReadFactors?: readonly string[];
  readonly searchFactors?: readonly string[];
}

export const listCondition: ServiceCondition = { name: "standard", factors: [] };

/** The first pattern that matches the model's name wins. */
type FactorByModel = readonly (readonly [name: RegExp, factor: string, ofCacheReads?: string])[];

type FactorsByName = { readonly [name: string]: FactorByModel };

const anyModel = /^/;

const half: FactorByModel = [[anyModel, "0.5"]];

/** Up to Gemini 3.1 Pro, cache reads are not discounted in the flex and batch tiers. */
const googleHalf: FactorByModel = [
  [
    /^gemini-(2\.5-(pro|flash|flash-lite)|3-(pro|flash)-preview|3\.1-pro-preview)($|-customtools|(-preview)?-\d)/,
    "0.5",
    "1",
  ],
  ...half,
];

const tierFactors: { readonly [provider in ProviderId]: FactorsByName } = {
  openai: {
    flex: half,
    batch: half,
    // Published as prices, not as factors: 5/3 is $0.25 for $0.15, 20/11 is $2.00 for $1.10.
    priority: [
      [/^gpt-6/, "2"],
      [/^gpt-5[.-]5/, "2.5"],
      [/^gpt-5-mini/, "1.8"],
      [/^gpt-5/, "2"],
      [/^gpt-4\.1-nano/, "2"],
      [/^gpt-4\.1/, "1.75"],
      [/^gpt-4o-mini($|-20)/, "5/3"],
      [/^gpt-4o-2024-05-13/, "1.75"],
      [/^gpt-4o($|-20)/, "1.7"],
      [/^o3($|-20)/, "1.75"],
      [/^o4-mini($|-20)/, "20/11"],
    ],
    ultrafast: [[/^gpt-6(\.1-sol|-astra)/, "6"]],
  },
  // At Anthropic, priority is capacity bought in advance: a call always has the list price.
  anthropic: { batch: half, priority: [[anyModel, "1"]] },
  google: { flex: googleHalf, batch: googleHalf, priority: [[anyModel, "1.8"]] },
  // Batches are 20 to 50 % off, depending on the model, and published for few: the rest is `unknown:batch`.
  xai: { batch: [[/^grok-4\.(20|3)($|-)/, "0.8"]], priority: [[anyModel, "2"]] },
};

const speedFactors: { readonly [provider in ProviderId]?: FactorsByName } = {
  anthropic: {
    fast: [
      [/^claude-opus-4-[67]/, "6"],
      [/^claude-opus-(4-8|5)/, "2"],
    ],
  },
};

const regionFactors: { readonly [provider in ProviderId]?: FactorsByName } = {
  // From 4.6 on. Earlier models keep their price, recorded as `unknown:us`.
  anthropic: { us: [[/^claude-(opus-4-[678]|sonnet-4-6|(opus|sonnet|haiku|fable|mythos)-5)/, "1.1"]] },
};

/** Multiplies the price of a web search: $25 per thousand instead of $10. */
const searchFactors: { readonly [provider in ProviderId]?: FactorsByName } = {
  openai: { web_search_preview: [[/^(ft:)?(gpt-4|chatgpt-)|^gpt-5(\.\d)?-chat/, "2.5"]] },
};

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
  const model = patternName(provider, modelName);
  const names: string[] = [];
  const factors: string[] = [];
  const cacheReadFactors: string[] = [];
  const apply = (name: string, listed: ReadonlySet<string>, rules: FactorsByName | undefined) => {
    if (listed.has(name)) return;
    const [, factor, ofCacheReads = factor] = ruleFor(ruleNamed(rules, name), model) ?? [];
    names.push(factor === undefined ? `unknown:${plainName(name)}` : name);
    if (factor !== undefined && factor !== "1") factors.push(factor);
    if (ofCacheReads !== undefined && ofCacheReads !== "1") cacheReadFactors.push(ofCacheReads);
  };
  const tier = normalize(served.serviceTier);
  apply(sameTier.get(tier) ?? tier, listTiers, tierFactors[provider]);
  apply(normalize(served.speed), listSpeeds, speedFactors[provider]);
  apply(normalize(served.region), listRegions, regionFactors[provider]);
  const searchTool = normalize(served.searchTool ?? null);
  const ofSearches = factorOf(ruleNamed(searchFactors[provider], searchTool), model);
  if (ofSearches !== undefined) names.push(searchTool);
  if (names.length === 0) return listCondition;
  return {
    name: names.join("+"),
    factors,
    ...(cacheReadFactors.join() !== factors.join() && { cacheReadFactors }),
    ...(ofSearches !== undefined && { searchFactors: [ofSearches] }),
  };
}

/** An upper bound for this model: the most expensive known factor of each service condition. */
export function dearestCondition(provider: ProviderId, modelName: string): ServiceCondition {
  const model = patternName(provider, modelName);
  const names: string[] = [];
  const factors: string[] = [];
  for (const rules of [tierFactors[provider], speedFactors[provider], regionFactors[provider]]) {
    const dearest = dearestRule(rules, model);
    if (dearest === null) continue;
    names.push(dearest.name);
    factors.push(dearest.factor);
  }
  const search = dearestRule(searchFactors[provider], model);
  if (search !== null) names.push(search.name);
  if (names.length === 0) return listCondition;
  return { name: names.join("+"), factors, ...(search && { searchFactors: [search.factor] }) };
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

/** Some clients write `claude-opus-4.6`; the patterns use dashes. */
function patternName(provider: ProviderId, modelName: string): string {
  return provider === "anthropic" ? modelName.replaceAll(".", "-") : modelName;
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
