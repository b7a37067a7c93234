import type { PriceOverridesInput } from "../overrides.ts";

/** Launch prices, which double on an announced day. */
const geminiRobotics2 = {
  provider: "google",
  context_window: 131_072,
  input_per_million_cents: 100,
  output_per_million_cents: 500,
} as const;
const geminiRobotics2In2027 = {
  ...geminiRobotics2,
  from: "2027-01-01",
  input_per_million_cents: 200,
  output_per_million_cents: 1000,
} as const;

/** Launch prices, as above. */
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

export const googlePrices: PriceOverridesInput = [
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
  { ...geminiRobotics2In2027, model: "gemini-robotics-er-2-preview", cache_read_per_million_cents: 20 },
  { ...geminiRobotics2, model: "gemini-robotics-er-2-streaming-preview" },
  { ...geminiRobotics2In2027, model: "gemini-robotics-er-2-streaming-preview" },
  { ...gemini38Speech, model: "gemini-3.8-flash-tts", output_per_million_cents: 900 },
  { ...gemini38Speech, model: "gemini-3.8-flash-lite-tts", output_per_million_cents: 600 },
  { ...gemini38SpeechIn2027, model: "gemini-3.8-flash-tts", output_per_million_cents: 1800 },
  { ...gemini38SpeechIn2027, model: "gemini-3.8-flash-lite-tts", output_per_million_cents: 1200 },
  {
    provider: "google",
    model: "gemini-3.1-flash-tts-preview",
    input_per_million_cents: 100,
    output_per_million_cents: 2000,
  },
  {
    provider: "google",
    model: "gemini-nano-banana-2.1",
    created: "2026-10-07",
    input_per_million_cents: 150,
    output_per_million_cents: 750,
    output_image_per_million_cents: 3000,
  },
  deepResearch,
  // The Gemini API serves Gemma only for free.
  { provider: "google", prefix: "gemma-", input_per_million_cents: 0, output_per_million_cents: 0 },
];
