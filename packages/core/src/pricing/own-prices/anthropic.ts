import type { PriceOverridesInput } from "../overrides.ts";

const claudeSonnet55 = {
  provider: "anthropic",
  model: "claude-sonnet-5-5",
  created: "2026-09-28",
  context_window: 1_000_000,
  input_per_million_cents: 200,
  output_per_million_cents: 1000,
  cache_write_per_million_cents: 250,
  cache_write_1h_per_million_cents: 400,
} as const;

const claudeMythos5 = {
  provider: "anthropic",
  context_window: 1_000_000,
  input_per_million_cents: 1000,
  output_per_million_cents: 5000,
  cache_write_per_million_cents: 1250,
  cache_write_1h_per_million_cents: 2000,
} as const;

const claudeFable52 = {
  provider: "anthropic",
  created: "2026-11-09",
  context_window: 1_000_000,
  input_per_million_cents: 800,
  output_per_million_cents: 4000,
  cache_read_per_million_cents: 20,
  cache_write_per_million_cents: 1000,
  cache_write_1h_per_million_cents: 1600,
} as const;

/** The base data has no price for the beta of a longer window. */
const claudeSonnet4 = {
  provider: "anthropic",
  context_window: 200_000,
  input_per_million_cents: 300,
  output_per_million_cents: 1500,
  cache_read_per_million_cents: 30,
  cache_write_per_million_cents: 375,
  cache_write_1h_per_million_cents: 600,
  long_context: {
    above_tokens: 200_000,
    input_per_million_cents: 600,
    output_per_million_cents: 2250,
    cache_read_per_million_cents: 60,
    cache_write_per_million_cents: 750,
    cache_write_1h_per_million_cents: 1200,
  },
} as const;

export const anthropicPrices: PriceOverridesInput = [
  {
    provider: "anthropic",
    model: "claude-haiku-5-5",
    created: "2026-10-07",
    context_window: 1_000_000,
    input_per_million_cents: 10,
    output_per_million_cents: 50,
    cache_read_per_million_cents: 1,
    cache_write_per_million_cents: 12.5,
    cache_write_1h_per_million_cents: 20,
    long_context: {
      above_tokens: 100_000,
      input_per_million_cents: 50,
      output_per_million_cents: 250,
      cache_read_per_million_cents: 5,
      cache_write_per_million_cents: 62.5,
      cache_write_1h_per_million_cents: 100,
    },
  },
  // The base data confuses Sonnet 5.5 with Sonnet 5, whose cache reads cost twice as much since October.
  { ...claudeSonnet55, cache_read_per_million_cents: 20 },
  { ...claudeSonnet55, from: "2026-10-08", cache_read_per_million_cents: 10 },
  { ...claudeMythos5, model: "claude-mythos-5", cache_read_per_million_cents: 100 },
  { ...claudeMythos5, model: "claude-mythos-5-1", cache_read_per_million_cents: 25 },
  { ...claudeFable52, model: "claude-fable-5-2" },
  { ...claudeFable52, model: "claude-mythos-5-2" },
  {
    provider: "anthropic",
    model: "claude-instant-1.2",
    context_window: 100_000,
    input_per_million_cents: 80,
    output_per_million_cents: 240,
  },
  { ...claudeSonnet4, model: "claude-sonnet-4-0" },
];
