import { type ResponsesAnswer, responsesAnswer } from "./responses-answer.ts";

/** What most bills of these responses have in common. */
export const priced = { usage_source: "provider", cost_basis: "priced", service_tier: "default" } as const;

interface ResponseCounts {
  readonly input: number;
  /** Of the input, like `written`. */
  readonly cached?: number;
  readonly written?: number;
  /** Of these, for 12 hours. */
  readonly writtenLong?: number;
  readonly output: number;
  readonly reasoning?: number;
  readonly ticks?: number;
  readonly tally?: object;
}

/** A response with these counts. */
export const countedResponse = (model: string, counts: ResponseCounts, more: Partial<ResponsesAnswer> = {}) =>
  responsesAnswer({
    model,
    usage: {
      input_tokens: counts.input,
      input_tokens_details: {
        cached_tokens: counts.cached ?? 0,
        ...(counts.written !== undefined && { cache_write_tokens: counts.written }),
        ...(counts.writtenLong !== undefined && {
          cache_write_tokens_details: {
            ttl_30m_tokens: (counts.written ?? 0) - counts.writtenLong,
            ttl_12h_tokens: counts.writtenLong,
          },
        }),
      },
      output_tokens: counts.output,
      output_tokens_details: { reasoning_tokens: counts.reasoning ?? 0 },
      total_tokens: counts.input + counts.output,
      ...(counts.ticks !== undefined && { cost_in_usd_ticks: counts.ticks }),
      ...(counts.tally !== undefined && { server_side_tool_usage_details: counts.tally }),
    },
    ...more,
  });

export const webSearch = (id: number, action: string) => ({
  id: `ws_${id}`,
  type: "web_search_call",
  status: "completed",
  action: { type: action },
});
