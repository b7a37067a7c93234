import { describe } from "bun:test";
import { checkCosts } from "../../../../test/support/check-costs.ts";

describe("MON-002 MON-006 MON-007 MON-008 google bills", () => {
  checkCosts("google", [
    {
      what: "thinking as output",
      model: "gemini-2.5-flash",
      usage: { input: 17, output: 102, reasoning: 412 },
      microcents: 12_901, // 17 × 3 + 514 × 25
    },
    {
      what: "cached input at a tenth",
      model: "models/gemini-2.5-flash",
      usage: { input: 1000, cache_read: 5000, output: 10 },
      microcents: 4_750, // 1,000 × 3 + 5,000 × 0.3 + 10 × 25
    },
    {
      what: "audio at its own rates, cached or not",
      model: "gemini-2.5-flash",
      usage: { input: 100, input_audio: 300, cache_read_audio: 200 },
      microcents: 3_500, // 100 × 3 + 300 × 10 + 200 × 1
    },
    {
      what: "MON-017 200,000 input tokens at the base rates",
      model: "gemini-2.5-pro",
      usage: { input: 200_000, output: 100 },
      microcents: 2_510_000, // 200,000 × 12.5 + 100 × 100
    },
    {
      what: "200,001 input tokens, all at the long-context rates",
      model: "gemini-2.5-pro",
      usage: { input: 200_001, output: 100 },
      microcents: 5_015_025, // 200,001 × 25 + 100 × 150
    },
    { what: "embeddings", model: "gemini-embedding-001", usage: { input: 3 }, microcents: 4 }, // 3 × 1.5 = 4.5
    {
      what: "flex at half",
      model: "gemini-2.5-flash",
      served: { serviceTier: "flex" },
      usage: { input: 1000, output: 100 },
      microcents: 2_750, // 1,000 × 1.5 + 100 × 12.5
    },
    {
      what: "priority at 1.8 ×",
      model: "gemini-2.5-flash",
      served: { serviceTier: "PRIORITY" },
      usage: { input: 1000, output: 100 },
      microcents: 9_900, // 1,000 × 5.4 + 100 × 45
    },
    { what: "grounding", model: "gemini-2.5-flash", usage: { web_searches: 1 }, microcents: 350_000 }, // $35
    { what: "grounding", model: "gemini-3.5-flash", usage: { web_searches: 1 }, microcents: 140_000 }, // $14
    {
      what: "grounding with Google Maps at its own price",
      model: "gemini-2.5-flash",
      served: { searchTool: "google_maps" },
      usage: { input: 18, output: 105, reasoning: 42, web_searches: 1 },
      microcents: 253_729, // 18 × 3 + 147 × 25 + $25 per thousand
    },
    {
      what: "grounding with Google Maps at the price of any search",
      model: "gemini-3.5-flash",
      served: { searchTool: "google_maps" },
      usage: { web_searches: 1 },
      microcents: 140_000, // $14
    },
    {
      what: "all output at its own price if the model has thought",
      model: "gemini-2.5-flash-preview-04-17",
      usage: { input: 17, output: 102, reasoning: 412 },
      microcents: 18_016, // 17 × 1.5 + 514 × 35 = 18,015.5
    },
    {
      what: "all output at its own price if the model has thought",
      model: "gemini-2.5-flash-preview-05-20",
      usage: { input: 17, output: 102, reasoning: 412 },
      microcents: 18_016, // 17 × 1.5 + 514 × 35 = 18,015.5
    },
    {
      what: "output without thinking",
      model: "gemini-2.5-flash-preview-05-20",
      usage: { input: 17, output: 102 },
      microcents: 638, // 17 × 1.5 + 102 × 6 = 637.5
    },
    {
      what: "an image",
      model: "gemini-2.5-flash-image",
      usage: { input: 7, output_image: 1290 },
      microcents: 387_021, // 7 × 3 + 1,290 × 300
    },
    {
      what: "the announced price of 2027",
      model: "gemini-3.8-flash",
      at: "2027-01-01",
      usage: { input: 100 },
      microcents: 1_500, // 100 × 15, and 100 × 7.5 until then
    },
    ...["gemini-4-argon", "gemini-4-carbon"].flatMap(model => [
      {
        what: "the launch price",
        model,
        at: "2026-11-30",
        usage: { input: 100, cache_read: 1000, output: 10, reasoning: 30 },
        microcents: 7_000, // 100 × 20 + 1,000 × 1 + 40 × 100
      },
      {
        what: "the announced price of December",
        model,
        at: "2026-12-01",
        usage: { input: 100, cache_read: 1000, output: 10, reasoning: 30 },
        microcents: 14_000, // 100 × 40 + 1,000 × 2 + 40 × 200
      },
    ]),
    {
      what: "an image and the thoughts before it",
      model: "gemini-nano-banana-2.1",
      usage: { input: 30, reasoning: 200, output_image: 1120 },
      microcents: 351_450, // 30 × 15 + 200 × 75 + 1,120 × 300
    },
    {
      what: "speech",
      model: "gemini-3.1-flash-tts-preview",
      usage: { input: 100, output_audio: 50 },
      microcents: 11_000, // 100 × 10 + 50 × 200
    },
    {
      what: "the launch price",
      model: "gemini-robotics-er-2-preview",
      at: "2026-12-31",
      usage: { input: 100, cache_read: 1000, output: 10 },
      microcents: 2_500, // 100 × 10 + 1,000 × 1 + 10 × 50
    },
    {
      what: "the announced price of 2027",
      model: "gemini-robotics-er-2-preview",
      at: "2027-01-01",
      usage: { input: 100, cache_read: 1000, output: 10 },
      microcents: 5_000, // 100 × 20 + 1,000 × 2 + 10 × 100
    },
    {
      what: "the announced price of 2027",
      model: "gemini-robotics-er-2-streaming-preview",
      at: "2027-01-01",
      usage: { input: 100, output: 10 },
      microcents: 3_000, // 100 × 20 + 10 × 100, and half until then
    },
    {
      what: "the announced price of 2027",
      model: "gemini-3.8-flash-tts",
      at: "2027-01-01",
      usage: { input: 100, output_audio: 50 },
      microcents: 10_000, // 100 × 10 + 50 × 180, and half until then
    },
    {
      what: "the announced price of 2027",
      model: "gemini-3.8-flash-lite-tts",
      at: "2027-01-01",
      usage: { input: 100, output_audio: 50 },
      microcents: 7_000, // 100 × 10 + 50 × 120, and half until then
    },
  ]);
});
