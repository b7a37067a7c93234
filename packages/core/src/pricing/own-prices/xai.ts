import type { PriceOverridesInput } from "../overrides.ts";

/** The first two models, retired. */
const grokBeta = { provider: "xai", input_per_million_cents: 500, output_per_million_cents: 1500 } as const;

const grok43 = {
  provider: "xai",
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

const grok420AtLaunch = {
  ...grok43,
  created: "2026-03-09",
  input_per_million_cents: 200,
  output_per_million_cents: 600,
  long_context: {
    ...grok43.long_context,
    input_per_million_cents: 400,
    output_per_million_cents: 1200,
  },
} as const;
const grok420 = { ...grok43, created: "2026-03-09", from: "2026-04-30" } as const;

/** Retired on 2026-05-15 at 19:00 UTC: since then xAI serves their names with Grok 4.3, at its price. */
const servedByGrok43 = { ...grok43, from: "2026-05-16" } as const;

/** Grok Code Fast is retired; xAI serves its name with Grok Build, at Grok Build's price. */
const grokBuild = {
  provider: "xai",
  from: "2026-05-15",
  context_window: 256_000,
  input_per_million_cents: 100,
  output_per_million_cents: 200,
  cache_read_per_million_cents: 20,
  long_context: {
    above_tokens: 199_999,
    input_per_million_cents: 200,
    output_per_million_cents: 400,
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

export const xaiPrices: PriceOverridesInput = [
  { ...grokBeta, model: "grok-beta", context_window: 131_072 },
  { ...grokBeta, model: "grok-vision-beta", context_window: 8_192 },
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
  // All names share one price; the base data has only the launch price for one of them.
  ...[grok420AtLaunch, grok420].flatMap(price => [
    { ...price, model: "grok-4.20-0309-reasoning" },
    { ...price, model: "grok-4.20-0309-non-reasoning" },
    { ...price, model: "grok-4.20-reasoning-gv2" },
    { ...price, model: "grok-4.20-non-reasoning-gv2" },
    { ...price, model: "grok-4.20-multi-agent-0309" },
    { ...price, model: "grok-4.20-multi-agent" },
    { ...price, prefix: "grok-4.20" },
  ]),
  { ...grokBuild, prefix: "grok-code-fast" },
  { ...grokBuild, prefix: "grok-code-fast-1" },
  // The base data has these without tiers; from 128,000 tokens on, input and output cost double.
  { ...grok4Fast, prefix: "grok-4-fast" },
  { ...grok4Fast, prefix: "grok-4-1-fast" },
  { ...servedByGrok43, prefix: "grok-4-fast" },
  { ...servedByGrok43, prefix: "grok-4-1-fast" },
  { ...servedByGrok43, model: "grok-4-0709" },
  { ...servedByGrok43, model: "grok-3" },
];
