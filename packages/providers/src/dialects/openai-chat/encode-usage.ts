import { inputTokens, outputTokens, type Usage } from "@tollgate/core/money/usage";

/** Usage in OpenAI's form: the totals include cache and reasoning, and the details repeat them. */
export function encodeUsage(usage: Usage): Record<string, unknown> {
  const prompt = inputTokens(usage);
  const completion = outputTokens(usage);
  const audioIn = count(usage.input_audio) + count(usage.cache_read_audio);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: count(usage.cache_read) + count(usage.cache_read_audio) + count(usage.cache_read_image),
      cache_write_tokens: count(usage.cache_write) + count(usage.cache_write_1h),
      audio_tokens: audioIn,
    },
    completion_tokens_details: {
      reasoning_tokens: count(usage.reasoning),
      audio_tokens: count(usage.output_audio),
    },
  };
}

/** In a known usage an absent kind is a known zero. */
function count(kind: number | undefined): number {
  return kind ?? 0;
}
