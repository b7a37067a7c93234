/**
 * What a price list does not state about a model. Patterns over catalogue ids, the first match wins; a model released
 * after this was written falls through to the rule based on list prices (`model-facts.ts`).
 */
import type { ProviderId } from "../provider-id.ts";
import type { ModelTier } from "./model-tier.ts";

type Curated<Value> = readonly (readonly [ProviderId, RegExp, Value])[];

/**
 * Where the price alone would mislead: flagships sold below a flagship's price, small models of a family whose quality
 * exceeds their price, and old models that still have their original price.
 */
const tiers: Curated<ModelTier> = [
  ["openai", /^(gpt-5(\.\d+)?|gpt-6(\.\d+)?-sol|o3)$/, "frontier"],
  [
    "openai",
    /^(gpt-4|gpt-4-32k|gpt-4-turbo|gpt-4\.5-preview|chatgpt-4o-latest|gpt-4o-2024-05-13)$/,
    "balanced",
  ],
  ["openai", /^gpt-3\.5/, "efficient"],
  ["openai", /^gpt-4o-mini$/, "efficient"],
  ["anthropic", /^claude-opus-/, "frontier"],
  ["anthropic", /^claude-(2|v1|3-opus)/, "balanced"],
  ["anthropic", /^claude-haiku-/, "efficient"],
  ["google", /^gemini-(2\.5|3|3\.\d+)-pro(-preview)?$/, "frontier"],
  ["xai", /^grok-(4-0709|4\.[5-9])$/, "frontier"],
];

/** Made for one purpose (speech, images, research, code), or sold only by others: never a substitute. */
const special: Curated<true> = [
  ["openai", /audio|realtime|transcribe|tts|image|vision|search|research|computer-use|codex|safeguard/, true],
  ["openai", /cyber|daybreak|rosalind/, true],
  ["openai", /embedding|instruct|davinci|^ada|^babbage|^curie|^gpt-oss|:extended$/, true],
  [
    "google",
    /tts|image|live|vision|omni|embedding|robotics|computer-use|deep-research|flash-1\.5|pro-1\.5|^gemini-pro$/,
    true,
  ],
  ["xai", /vision|multi-agent|code|build/, true],
];

/** Replaced by a later generation of the same family: priced and callable while the provider serves it. */
const legacy: Curated<true> = [
  [
    "openai",
    /^(gpt-3\.5|gpt-4$|gpt-4-|gpt-4\.5|chatgpt-4o|gpt-4o-2024-05-13|o1-preview|o1-mini|codex-mini)/,
    true,
  ],
  ["openai", /davinci|^ada|^babbage|^curie|instruct|^computer-use/, true],
  ["anthropic", /^claude-(2|v1|instant|3-|opus-4-[01]$|sonnet-4-0$)/, true],
  ["google", /^gemini-(1\.|2\.0|pro|flash-1\.5|2\.5-flash-preview)/, true],
  ["xai", /^grok-([23]|(vision-)?beta)/, true],
];

/**
 * Reasons by default. Such a model bills more output for the same answer and takes other parameters, so the token
 * counts of one kind do not predict the cost of the other.
 */
const reasoning: Curated<boolean> = [
  ["openai", /^gpt-5(\.\d+)?-chat|^(gpt-)?chat-latest/, false],
  ["openai", /^(o\d|gpt-[5-9]|codex|gpt-rosalind|(gpt-)?daybreak)/, true],
  [
    "openai",
    /^(gpt-[34]|chatgpt-4|gpt-(audio|realtime|image)|text-|davinci|babbage|curie|ada|computer-use)/,
    false,
  ],
  ["google", /^gemini-2\.5-flash-lite/, false],
  ["google", /^gemini-(2\.5|[3-9]|robotics)/, true],
  ["google", /^gemini-(1|2\.0|(pro|flash)(-1|-vision|$))|embedding|^(gemma|learnlm)/, false],
  ["xai", /non-reasoning/, false],
  ["xai", /^grok-(3-mini|[4-9]|code|build|latest)/, true],
  ["xai", /^grok-([123]|beta|vision)/, false],
];

/** null: not known. */
export function doesReason(provider: ProviderId, model: string): boolean | null {
  return find(reasoning, provider, model);
}

export function curatedTier(provider: ProviderId, model: string): ModelTier | null {
  return find(tiers, provider, model);
}

export function isSpecial(provider: ProviderId, model: string): boolean {
  return find(special, provider, model) ?? false;
}

export function isLegacy(provider: ProviderId, model: string): boolean {
  return find(legacy, provider, model) ?? false;
}

/** Discount of a provider's batch API, in percent; xAI's differs by model, this is the minimum. */
export const batchDiscountPct: { readonly [provider in ProviderId]: number } = {
  openai: 50,
  anthropic: 50,
  google: 50,
  xai: 20,
};

function find<Value>(curated: Curated<Value>, provider: ProviderId, model: string): Value | null {
  return curated.find(([owner, pattern]) => owner === provider && pattern.test(model))?.[2] ?? null;
}
