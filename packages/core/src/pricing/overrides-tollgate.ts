/**
 * Our own price data, over the base: models that it misses, and prices that moved after it was published.
 * Same form as the operator's file. Each entry names its source in docs/decisions/0003-prices.md.
 */
import type { PriceOverridesInput } from "./overrides.ts";

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

const grok420 = {
  provider: "xai",
  created: "2026-03-09",
  context_window: 1_000_000,
  input_per_million_cents: 125,
  output_per_million_cents: 250,
  cache_read_per_million_cents: 20,
  long_context: {
    above_tokens: 199_999,
    input_per_million_cents: 250,
    output_per_million_cents: 500,
    cache_read_per_million_cents: 40,
  },
} as const;

const grok4Fast = {
  provider: "xai",
  context_window: 2_000_000,
  input_per_million_cents: 20,
  output_per_million_cents: 50,
  cache_read_per_million_cents: 5,
  long_context: {
    above_tokens: 127_999,
    input_per_million_cents: 40,
    output_per_million_cents: 100,
    cache_read_per_million_cents: 5,
  },
} as const;

export const tollgateOverrides: PriceOverridesInput = [
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
  // The base takes Sonnet 5.5 for Sonnet 5, whose cache reads cost twice as much since October.
  { ...claudeSonnet55, cache_read_per_million_cents: 20 },
  { ...claudeSonnet55, from: "2026-10-08", cache_read_per_million_cents: 10 },
  { ...claudeMythos5, model: "claude-mythos-5", cache_read_per_million_cents: 100 },
  { ...claudeMythos5, model: "claude-mythos-5-1", cache_read_per_million_cents: 25 },
  {
    provider: "openai",
    model: "gpt-6.1-sol",
    created: "2026-09-29",
    context_window: 1_050_000,
    input_per_million_cents: 200,
    output_per_million_cents: 1000,
    cache_read_per_million_cents: 10,
    cache_write_per_million_cents: 250,
    long_context: {
      above_tokens: 272_000,
      input_per_million_cents: 400,
      output_per_million_cents: 1500,
      cache_read_per_million_cents: 20,
      cache_write_per_million_cents: 500,
    },
  },
  {
    provider: "xai",
    model: "grok-4.7",
    created: "2026-09-21",
    context_window: 500_000,
    input_per_million_cents: 200,
    output_per_million_cents: 600,
    cache_read_per_million_cents: 50,
    long_context: {
      above_tokens: 199_999,
      input_per_million_cents: 400,
      output_per_million_cents: 1200,
      cache_read_per_million_cents: 100,
    },
  },
  { ...grok420, model: "grok-4.20-0309-reasoning" },
  { ...grok420, model: "grok-4.20-0309-non-reasoning" },
  { ...grok420, model: "grok-4.20-multi-agent-0309" },
  // The base has these flat; from 128,000 tokens on, input and output doubled.
  { ...grok4Fast, prefix: "grok-4-fast" },
  { ...grok4Fast, prefix: "grok-4-1-fast" },
];
