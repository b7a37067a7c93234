/**
 * How an agent used one model, summed over UTC days. Beyond what rollups know, and enough for the leak scan and for
 * suggestions: neither ever reads an event. Costs are as the ledger has them, without what rerating changed.
 */
export interface ProfileSums {
  readonly calls: number;
  /** `error`, `timeout` and `interrupted`, and their cost. */
  readonly errors: number;
  readonly error_cost_microcents: number;
  /** The same request within a minute after it had failed, however that ended. */
  readonly retry_calls: number;
  readonly retry_cost_microcents: number;

  /** All input is these four: what has no kind of its own counts as `uncached`. */
  readonly input_tokens: number;
  readonly uncached_input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;

  /** Calls that succeeded with an answer under `SHORT_OUTPUT_TOKENS`, and their own tokens and cost. */
  readonly short_calls: number;
  readonly short_uncached_input_tokens: number;
  readonly short_cache_read_tokens: number;
  readonly short_cache_write_tokens: number;
  readonly short_cache_write_1h_tokens: number;
  readonly short_output_tokens: number;
  readonly short_cost_microcents: number;

  /** The same request again within an hour after it had succeeded. */
  readonly repeat_calls: number;
  readonly repeat_input_tokens: number;
  readonly repeat_cost_microcents: number;

  /**
   * Calls whose prompt begins like an earlier one's, with at least `CACHEABLE_TOKENS` in common, and that neither
   * read nor wrote a cache. `cacheable_tokens` is what a cache would have held: all of an identical request, else
   * the shorter of the two prompts at most. `cacheable_start_tokens` is what would have been written first. One
   * pair for a cache that lives an hour after its last use, one for five minutes.
   */
  readonly cacheable_calls: number;
  readonly cacheable_tokens: number;
  readonly cacheable_start_tokens: number;
  readonly cacheable_5m_calls: number;
  readonly cacheable_5m_tokens: number;
  readonly cacheable_5m_start_tokens: number;

  /** Prompts over 60 % of the model's context window, and their tokens beyond it. */
  readonly oversized_calls: number;
  readonly oversized_tokens: number;
  /** Sessions that the agent began, and the prompts of their first calls. */
  readonly sessions: number;
  readonly session_first_tokens: number;
  /** Later calls of sessions, and their whole input. */
  readonly session_later_calls: number;
  readonly session_later_tokens: number;
  /** Of those, the ones that had outgrown the first (`GROWN_FACTOR`, `GROWN_TOKENS`): what no cache had, beyond it. */
  readonly grown_calls: number;
  readonly grown_tokens: number;
}
