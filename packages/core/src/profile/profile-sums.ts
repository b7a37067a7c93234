/**
 * How an agent used one model, summed over UTC days. More than rollups have, and enough for the leak scan and
 * suggestions, which never read events. Costs are as in the ledger, without reratings.
 */
export interface ProfileSums {
  readonly calls: number;
  /** `error`, `timeout` and `interrupted`, and their cost. */
  readonly errors: number;
  readonly error_cost_microcents: number;
  /** The same request within a minute after it failed, with any result. */
  readonly retry_calls: number;
  readonly retry_cost_microcents: number;

  /** The sum of these four: input without its own kind counts as `uncached`. */
  readonly input_tokens: number;
  readonly uncached_input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;

  /** Successful calls with an answer under `SHORT_OUTPUT_TOKENS`, and their tokens and cost. */
  readonly short_calls: number;
  readonly short_uncached_input_tokens: number;
  readonly short_cache_read_tokens: number;
  readonly short_cache_write_tokens: number;
  readonly short_cache_write_1h_tokens: number;
  readonly short_output_tokens: number;
  readonly short_cost_microcents: number;

  /** The same request within an hour after it succeeded. */
  readonly repeat_calls: number;
  readonly repeat_input_tokens: number;
  readonly repeat_cost_microcents: number;

  /**
   * Calls whose prompt shares a prefix of at least `CACHEABLE_TOKENS` with an earlier one, and that neither read nor
   * wrote a cache. `cacheable_tokens` is what a cache would have held: all of an identical request, otherwise at most
   * the shorter of the two prompts. `cacheable_start_tokens` is the first cache write. One pair for a cache that lives
   * an hour after its last use, one for five minutes.
   */
  readonly cacheable_calls: number;
  readonly cacheable_tokens: number;
  readonly cacheable_start_tokens: number;
  readonly cacheable_5m_calls: number;
  readonly cacheable_5m_tokens: number;
  readonly cacheable_5m_start_tokens: number;

  /** Prompts over 60 % of the model's context window, and their tokens beyond that. */
  readonly oversized_calls: number;
  readonly oversized_tokens: number;
  /** Sessions started by the agent, and the prompts of their first calls. */
  readonly sessions: number;
  readonly session_first_tokens: number;
  /** Later calls in sessions, and their total input. */
  readonly session_later_calls: number;
  readonly session_later_tokens: number;
  /** Of those, calls that had outgrown the first (`GROWN_FACTOR`, `GROWN_TOKENS`), and their excess uncached tokens. */
  readonly grown_calls: number;
  readonly grown_tokens: number;
}
