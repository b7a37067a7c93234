/**
 * The maximum length of one answer of a model, including hidden reasoning. A bound for reservations, estimates and the
 * limits of translated calls, so an unlisted model gets the longest answer of its provider.
 */
import { canonicalName } from "../pricing/model-name.ts";
import type { ProviderId } from "../provider-id.ts";

/** Patterns over model names, the first match wins; the last of each provider matches every name. */
const longest: { readonly [provider in ProviderId]: readonly (readonly [RegExp, number])[] } = {
  openai: [
    [/^computer-use/, 1024],
    [/^gpt-4(-0\d{3})?$/, 8192],
    [/^gpt-(3\.5|4(-|$)|4o-2024-05-13)/, 4096],
    [/^gpt-4\.1/, 32_768],
    [/^(gpt-4o|chatgpt-4o|gpt-audio|gpt-5(\.\d)?-chat)/, 16_384],
    [/^o1-(mini|preview)/, 65_536],
    [/^o\d/, 100_000],
    [/^gpt-5-pro/, 272_000],
    [/^/, 128_000],
  ],
  anthropic: [
    [/^claude-(2|v1|instant|3-(haiku|sonnet|opus))/, 4096],
    [/^claude-3-5/, 8192],
    [/^claude-opus-4(-[01])?(-20|$)/, 32_000],
    [/^claude-((sonnet|haiku)-4|opus-4-5)(-[0-5])?(-20|$)/, 64_000],
    [/^/, 128_000],
  ],
  google: [
    [/^(gemini-(1\.|2\.0|pro|flash-1)|gemma-[23]|learnlm)/, 8192],
    [/^gemma-/, 32_768],
    // Gemini 4 writes up to 1,048,576, but in several requests, each of which continues the one before.
    [/^gemini-(2\.5|3|4)/, 65_536],
    [/^gemini-(flash|pro|omni|robotics)/, 65_536],
    [/^/, 1_048_576],
  ],
  xai: [
    [/^grok-(code|build|[1-4](-|$))/, 256_000],
    [/^/, 1_000_000],
  ],
};

/** A cache, because this is needed for every budgeted call. Callers choose the names, so it is bounded. */
const remembered: { readonly [provider in ProviderId]: Map<string, number> } = {
  openai: new Map(),
  anthropic: new Map(),
  google: new Map(),
  xai: new Map(),
};
const MAX_REMEMBERED = 1000;

export function maxOutputTokens(provider: ProviderId, model: string): number {
  const models = remembered[provider];
  const known = models.get(model);
  if (known !== undefined) return known;
  const tokens = find(provider, model);
  if (models.size >= MAX_REMEMBERED) models.clear();
  models.set(model, tokens);
  return tokens;
}

function find(provider: ProviderId, model: string): number {
  const name = canonicalName(provider, model);
  for (const [pattern, tokens] of longest[provider]) if (pattern.test(name)) return tokens;
  throw new Error(`no longest answer for ${provider}`);
}
