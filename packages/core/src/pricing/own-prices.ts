/**
 * Our own price data, on top of the base: models that it lacks, and prices that changed after it was published. Same
 * format as the operator's file, but a `prefix` that does not end with a dash matches only revisions of a model. Sources of all entries are in docs/decisions/0003-prices.md.
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

/** The first two models, retired. */
const grokBeta = { provider: "xai", input_per_million_cents: 500, output_per_million_cents: 1500 } as const;

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

const fineTuned = (prefix: string, input: number, output: number, cacheRead: number) =>
  ({
    provider: "openai",
    prefix: `ft:${prefix}`,
    input_per_million_cents: input,
    output_per_million_cents: output,
    cache_read_per_million_cents: cacheRead,
  }) as const;

const geminiRobotics2 = {
  provider: "google",
  context_window: 131_072,
  input_per_million_cents: 100,
  output_per_million_cents: 500,
} as const;

/** Launch prices, which double on an announced day. */
const gemini4 = {
  provider: "google",
  context_window: 1_048_576,
  input_per_million_cents: 200,
  output_per_million_cents: 1000,
  cache_read_per_million_cents: 10,
} as const;
const gemini4InDecember = {
  ...gemini4,
  from: "2026-12-01",
  input_per_million_cents: 400,
  output_per_million_cents: 2000,
  cache_read_per_million_cents: 20,
} as const;

/** Text-to-speech models, which the base data matches as plain Gemini 3.8 Flash. Launch prices, as above. */
const gemini38Speech = {
  provider: "google",
  context_window: 8_192,
  input_per_million_cents: 50,
  cache_read_per_million_cents: 12.5,
} as const;
const gemini38SpeechIn2027 = {
  ...gemini38Speech,
  from: "2027-01-01",
  input_per_million_cents: 100,
  cache_read_per_million_cents: 25,
} as const;

/** An agent based on Gemini 3 Pro, whose searches still cost the pre-Gemini-3 price. */
const deepResearch = {
  provider: "google",
  prefix: "deep-research-",
  context_window: 1_048_576,
  input_per_million_cents: 200,
  output_per_million_cents: 1200,
  web_search_per_thousand_cents: 3500,
} as const;

export const ownPrices: PriceOverridesInput = [
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
    provider: "anthropic",
    model: "claude-instant-1.2",
    context_window: 100_000,
    input_per_million_cents: 80,
    output_per_million_cents: 240,
  },
  { ...claudeSonnet4, model: "claude-sonnet-4-0" },
  { ...claudeSonnet4, model: "claude-sonnet-4-20250514" },
  // The base data mistakes it for Gemini 1.5 Flash.
  {
    provider: "google",
    prefix: "gemini-1.5-flash-8b",
    context_window: 1_000_000,
    input_per_million_cents: 3.75,
    output_per_million_cents: 15,
    cache_read_per_million_cents: 1,
    long_context: {
      above_tokens: 128_000,
      input_per_million_cents: 7.5,
      output_per_million_cents: 30,
      cache_read_per_million_cents: 2,
    },
  },
  {
    ...cyber,
    model: "gpt-5.6-cyber",
    cache_write_per_million_cents: 1562.5,
    long_context: {
      above_tokens: 271_999,
      input_per_million_cents: 2500,
      output_per_million_cents: 11250,
      cache_read_per_million_cents: 250,
      cache_write_per_million_cents: 3125,
    },
  },
  { ...cyber, model: "gpt-5.5-cyber" },
  { ...cyber, model: "gpt-5.5-cyber-preview" },
  { ...rosalind, model: "gpt-rosalind-research" },
  { ...rosalind, model: "gpt-rosalind-discovery" },
  fineTuned("gpt-4.1-mini", 80, 320, 20),
  fineTuned("gpt-4.1-nano", 20, 80, 5),
  fineTuned("gpt-4.1", 300, 1200, 75),
  fineTuned("gpt-4o-mini", 30, 120, 15),
  fineTuned("gpt-4o", 375, 1500, 187.5),
  fineTuned("o4-mini", 400, 1600, 100),
  { ...gemini4, model: "gemini-4-argon" },
  { ...gemini4InDecember, model: "gemini-4-argon" },
  { ...gemini4, model: "gemini-4-carbon", created: "2026-11-10" },
  { ...gemini4InDecember, model: "gemini-4-carbon", created: "2026-11-10" },
  {
    provider: "google",
    model: "gemini-omni-1.1-flash",
    context_window: 1_048_576,
    input_per_million_cents: 150,
    output_per_million_cents: 900,
  },
  {
    provider: "google",
    model: "gemini-2.5-computer-use-preview-10-2025",
    context_window: 128_000,
    input_per_million_cents: 125,
    output_per_million_cents: 1000,
    long_context: { above_tokens: 200_000, input_per_million_cents: 250, output_per_million_cents: 1500 },
  },
  { ...geminiRobotics2, model: "gemini-robotics-er-2-preview", cache_read_per_million_cents: 10 },
  { ...geminiRobotics2, model: "gemini-robotics-er-2-streaming-preview" },
  { ...gemini38Speech, model: "gemini-3.8-flash-tts", output_per_million_cents: 900 },
  { ...gemini38Speech, model: "gemini-3.8-flash-lite-tts", output_per_million_cents: 600 },
  { ...gemini38SpeechIn2027, model: "gemini-3.8-flash-tts", output_per_million_cents: 1800 },
  { ...gemini38SpeechIn2027, model: "gemini-3.8-flash-lite-tts", output_per_million_cents: 1200 },
  deepResearch,
  // The Gemini API serves Gemma only for free.
  { provider: "google", prefix: "gemma-", input_per_million_cents: 0, output_per_million_cents: 0 },
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
  { ...grok420, model: "grok-4.20-0309-reasoning" },
  { ...grok420, model: "grok-4.20-0309-non-reasoning" },
  { ...grok420, model: "grok-4.20-multi-agent-0309" },
  { ...grok420, model: "grok-4.20-multi-agent" },
  // Beta, experimental and dated names share one price; the base data has an outdated launch price for one of them.
  { ...grok420, prefix: "grok-4.20" },
  { ...grokBuild, prefix: "grok-code-fast" },
  { ...grokBuild, prefix: "grok-code-fast-1" },
  // The base data has these without tiers; from 128,000 tokens on, input and output cost double.
  { ...grok4Fast, prefix: "grok-4-fast" },
  { ...grok4Fast, prefix: "grok-4-1-fast" },
];
