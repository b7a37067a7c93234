import { type Usage, usageOf } from "@tollgate/core/money/usage";
import { billingOf } from "@tollgate/core/pricing/billing/registry";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { type PromptSize, promptTokens } from "@tollgate/core/pricing/prompt-size";
import type { ProviderId } from "@tollgate/core/provider-id";
import { listPrice } from "@tollgate/providers/meter";

/** OpenAI caches no shorter prompt. */
const MIN_CACHED_TOKENS = 1024;

interface SentPrompt {
  readonly provider: ProviderId;
  readonly model: string;
  readonly createdAtMs: number;
  readonly prompt: PromptSize;
}

/**
 * The prompt of a call whose provider has not counted it. What may have been written to the cache is assumed to have
 * been: a cut call costs no less than its prompt, and a write costs more than plain input.
 */
export function estimatePrompt(call: SentPrompt, servedModel: string | null, catalogue: Catalogue): Usage {
  const model = servedModel ?? call.model;
  const { input, audio } = promptTokens(call.prompt, call.provider, model, catalogue);
  const { cacheWrite } = call.prompt;
  const isWritten = billingOf[call.provider].needsCacheMarks
    ? cacheWrite !== null
    : isCachedUnasked(call, model, input, catalogue);
  return usageOf({ [isWritten ? (cacheWrite ?? "cache_write") : "input"]: input, input_audio: audio });
}

/** Newer models of OpenAI write every longer prompt to the cache, and charge for it. */
function isCachedUnasked(
  { provider, createdAtMs }: SentPrompt,
  model: string,
  tokens: number,
  catalogue: Catalogue,
): boolean {
  if (tokens < MIN_CACHED_TOKENS) return false;
  const card = catalogue.card(provider, model, new Date(createdAtMs), tokens, listPrice);
  return card !== null && card.rates.cache_write > card.rates.input;
}
