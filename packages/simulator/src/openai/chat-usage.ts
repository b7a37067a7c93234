import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { textOf } from "../json-object.ts";
import type { AnswerPlan } from "../plan-answer.ts";
import { reportsCacheWrites } from "./model-traits.ts";
import { chatPrefixTokens } from "./read-chat-prompt.ts";

/**
 * The simulator has no cache. A prefix of 1,024 tokens or more counts as cached if the caller sends a
 * `prompt_cache_key`, and otherwise as just written (if the model reports that).
 */
export function cacheTokens(
  body: JsonObject,
  prefixTokens: number,
): { read: number; written: number | null } {
  const cacheable = prefixTokens >= 1024 ? Math.floor(prefixTokens / 128) * 128 : 0;
  const hasKey = textOf(body.prompt_cache_key) !== "";
  const reports = reportsCacheWrites(textOf(body.model));
  return { read: hasKey ? cacheable : 0, written: reports ? (hasKey ? 0 : cacheable) : null };
}

/** The totals include reasoning and cached tokens, unlike at other providers. */
export function chatUsage(body: JsonObject, plans: readonly AnswerPlan[]): JsonObject {
  const cache = cacheTokens(body, chatPrefixTokens(body));
  const prompt = plans[0]?.inputTokens ?? 0;
  const reasoning = plans.reduce((sum, plan) => sum + plan.reasoningTokens, 0);
  const completion = plans.reduce((sum, plan) => sum + plan.visibleTokens, reasoning);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: cache.read,
      audio_tokens: 0,
      ...(cache.written === null ? {} : { cache_write_tokens: cache.written }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
