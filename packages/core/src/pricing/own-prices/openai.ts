import type { PriceOverridesInput } from "../overrides.ts";

/** Models that search the web for every answer. Search results are not billed as tokens. */
const searchPreview = {
  provider: "openai",
  context_window: 128_000,
  web_search_per_thousand_cents: 2500,
} as const;

/** Newer ones have the price of GPT Image 2. */
const gptImage2 = {
  provider: "openai",
  input_per_million_cents: 500,
  output_per_million_cents: 3000,
  cache_read_per_million_cents: 125,
  input_image_per_million_cents: 800,
  cache_read_image_per_million_cents: 200,
} as const;

const cyber = {
  provider: "openai",
  input_per_million_cents: 1250,
  output_per_million_cents: 7500,
  cache_read_per_million_cents: 125,
} as const;

const rosalind = {
  provider: "openai",
  input_per_million_cents: 500,
  output_per_million_cents: 2500,
  cache_read_per_million_cents: 50,
} as const;

/** For approved organizations: other prices than the models that they are made of. */
const gpt6Rosalind = {
  provider: "openai",
  model: "gpt-6-rosalind",
  context_window: 1_050_000,
  input_per_million_cents: 1500,
  output_per_million_cents: 7500,
  cache_read_per_million_cents: 150,
  cache_write_per_million_cents: 1875,
  long_context: {
    above_tokens: 272_000,
    input_per_million_cents: 3000,
    output_per_million_cents: 11_250,
    cache_read_per_million_cents: 300,
    cache_write_per_million_cents: 3750,
  },
} as const;

const fineTuned = (prefix: string, input: number, output: number, cacheRead: number) =>
  ({
    provider: "openai",
    prefix: `ft:${prefix}`,
    input_per_million_cents: input,
    output_per_million_cents: output,
    cache_read_per_million_cents: cacheRead,
  }) as const;

export const openaiPrices: PriceOverridesInput = [
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
    provider: "openai",
    model: "gpt-6.1-terra",
    created: "2026-10-26",
    context_window: 1_050_000,
    input_per_million_cents: 100,
    output_per_million_cents: 500,
    cache_read_per_million_cents: 5,
    cache_write_per_million_cents: 125,
    long_context: {
      above_tokens: 272_000,
      input_per_million_cents: 200,
      output_per_million_cents: 750,
      cache_read_per_million_cents: 10,
      cache_write_per_million_cents: 250,
    },
  },
  {
    ...searchPreview,
    model: "gpt-4o-search-preview",
    input_per_million_cents: 250,
    output_per_million_cents: 1000,
    cache_read_per_million_cents: 125,
  },
  // The base data matches it as GPT-4o mini, whose searches cost less.
  {
    ...searchPreview,
    model: "gpt-4o-mini-search-preview",
    input_per_million_cents: 15,
    output_per_million_cents: 60,
    cache_read_per_million_cents: 7.5,
  },
  {
    provider: "openai",
    model: "gpt-5-search-api",
    created: "2025-10-14",
    context_window: 400_000,
    input_per_million_cents: 125,
    output_per_million_cents: 1000,
    cache_read_per_million_cents: 12.5,
  },
  // The base data has no audio rates for these two, and the text rate is 16 times lower.
  {
    provider: "openai",
    model: "gpt-4o-audio-preview",
    context_window: 128_000,
    input_per_million_cents: 250,
    output_per_million_cents: 1000,
    input_audio_per_million_cents: 4000,
    output_audio_per_million_cents: 8000,
  },
  // Audio became cheaper with the second snapshot.
  {
    provider: "openai",
    model: "gpt-4o-audio-preview-2024-10-01",
    context_window: 128_000,
    input_per_million_cents: 250,
    output_per_million_cents: 1000,
    input_audio_per_million_cents: 10_000,
    output_audio_per_million_cents: 20_000,
  },
  {
    provider: "openai",
    model: "gpt-4o-mini-audio-preview",
    context_window: 128_000,
    input_per_million_cents: 15,
    output_per_million_cents: 60,
    input_audio_per_million_cents: 1000,
    output_audio_per_million_cents: 2000,
  },
  { ...gptImage2, model: "gpt-image-2.5-flare", created: "2026-09-08" },
  { ...gptImage2, model: "gpt-image-2.5-sunburst", created: "2026-09-08" },
  { ...gptImage2, model: "gpt-image-2.6-flare", created: "2026-11-04" },
  { ...gptImage2, model: "gpt-image-2.6-sunburst", created: "2026-11-04" },
  // Priced as GPT Image 1.5.
  {
    provider: "openai",
    model: "chatgpt-image-latest",
    input_per_million_cents: 500,
    output_per_million_cents: 1000,
    cache_read_per_million_cents: 125,
    input_image_per_million_cents: 800,
    cache_read_image_per_million_cents: 200,
    output_image_per_million_cents: 3200,
  },
  {
    ...cyber,
    model: "gpt-5.6-cyber",
    cache_write_per_million_cents: 1562.5,
    long_context: {
      above_tokens: 272_000,
      input_per_million_cents: 2500,
      output_per_million_cents: 11250,
      cache_read_per_million_cents: 250,
      cache_write_per_million_cents: 3125,
    },
  },
  { ...cyber, model: "gpt-5.5-cyber" },
  { ...cyber, model: "gpt-5.5-cyber-preview" },
  {
    provider: "openai",
    model: "gpt-6-cyber",
    input_per_million_cents: 2000,
    output_per_million_cents: 10_000,
    cache_read_per_million_cents: 200,
    cache_write_per_million_cents: 2500,
  },
  {
    provider: "openai",
    model: "gpt-6-astra-law",
    context_window: 1_050_000,
    input_per_million_cents: 1000,
    output_per_million_cents: 5000,
    cache_read_per_million_cents: 100,
  },
  gpt6Rosalind,
  { ...rosalind, model: "gpt-rosalind-research" },
  { ...rosalind, model: "gpt-rosalind-discovery" },
  fineTuned("gpt-4.1-mini", 80, 320, 20),
  fineTuned("gpt-4.1-nano", 20, 80, 5),
  fineTuned("gpt-4.1", 300, 1200, 75),
  fineTuned("gpt-4o-mini", 30, 120, 15),
  fineTuned("gpt-4o", 375, 1500, 187.5),
  fineTuned("o4-mini", 400, 1600, 100),
];
