import type { ProfileSums } from "@tollgate/core/profile/profile-sums";
import { outputColumns } from "./output-histogram.ts";

/** The summed columns. Rows in memory use this order; the table uses the names. */
export const sumColumns = [
  "calls",
  "errors",
  "error_cost_microcents",
  "retry_calls",
  "retry_cost_microcents",
  "input_tokens",
  "uncached_input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "cache_write_1h_tokens",
  "output_tokens",
  "cost_microcents",
  "short_calls",
  "short_uncached_input_tokens",
  "short_cache_read_tokens",
  "short_cache_write_tokens",
  "short_cache_write_1h_tokens",
  "short_output_tokens",
  "short_cost_microcents",
  "repeat_calls",
  "repeat_input_tokens",
  "repeat_cost_microcents",
  "cacheable_calls",
  "cacheable_tokens",
  "cacheable_start_tokens",
  "cacheable_5m_calls",
  "cacheable_5m_tokens",
  "cacheable_5m_start_tokens",
  "oversized_calls",
  "oversized_tokens",
  "sessions",
  "session_first_tokens",
  "session_later_calls",
  "session_later_tokens",
  "grown_calls",
  "grown_tokens",
] as const satisfies readonly (keyof ProfileSums)[];

export type SumColumn = (typeof sumColumns)[number];

/** Columns that keep the maximum. */
export const peakColumns = ["max_input_tokens", "max_output_tokens"] as const;

export const addedColumns = [...sumColumns, ...outputColumns] as const;
