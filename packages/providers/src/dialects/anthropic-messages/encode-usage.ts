import { outputTokens, type Usage } from "@tollgate/core/money/usage";
import type { JsonObject } from "@tollgate/core/wire/json-fields";

/**
 * Anthropic's counting: `input_tokens` excludes cache reads and writes. The format cannot express unknown usage, and
 * clients add these numbers up or reject a message without them, so here, and only here, unknown usage becomes zeros.
 * The event keeps the truth.
 */
export function encodeUsage(usage: Usage | null): JsonObject {
  const count = (...kinds: (keyof Usage)[]) => kinds.reduce((sum, kind) => sum + (usage?.[kind] ?? 0), 0);
  const thinking = count("reasoning");
  return {
    input_tokens: count("input", "input_audio", "input_image"),
    cache_creation_input_tokens: count("cache_write", "cache_write_1h"),
    cache_read_input_tokens: count("cache_read", "cache_read_audio", "cache_read_image"),
    output_tokens: usage === null ? 0 : outputTokens(usage),
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
  };
}
