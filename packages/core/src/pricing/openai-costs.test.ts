import { describe } from "bun:test";
import { checkCosts } from "../../../../test/support/check-costs.ts";

describe("MON-002 MON-006 MON-007 MON-008 openai bills", () => {
  checkCosts("openai", [
    // 1,000 × 1.5 + 500 × 6
    {
      what: "input and output",
      model: "gpt-4o-mini",
      usage: { input: 1000, output: 500 },
      microcents: 4_500,
    },
    {
      what: "the dated snapshot that answered, as the model asked for",
      model: "gpt-4o-mini-2024-07-18",
      usage: { input: 1000, output: 500 },
      microcents: 4_500,
    },
    {
      what: "cache reads at half the input price, not again at the input price",
      model: "gpt-4o",
      usage: { input: 1000, cache_read: 2000, output: 300 },
      microcents: 80_000, // 1,000 × 25 + 2,000 × 12.5 + 300 × 100
    },
    {
      what: "cache writes at 1.25 × input",
      model: "gpt-5.6-sol",
      usage: { input: 100, cache_write: 2000, cache_read: 500, output: 10 },
      microcents: 108_000, // 100 × 40 + 2,000 × 50 + 500 × 4 + 10 × 200
    },
    {
      what: "the price before the cut of 2026-08-21",
      model: "gpt-5.6-sol",
      at: "2026-08-20",
      usage: { input: 100, cache_write: 2000, cache_read: 500, output: 10 },
      microcents: 135_500, // 100 × 50 + 2,000 × 62.5 + 500 × 5 + 10 × 300
    },
    {
      what: "cache writes at the input price, where they are free of surcharge",
      model: "gpt-4o",
      usage: { cache_write: 100 },
      microcents: 2_500, // 100 × 25
    },
    {
      what: "reasoning as output",
      model: "o3",
      usage: { input: 75, reasoning: 1000, output: 186 },
      microcents: 96_380, // 75 × 20 + 1,186 × 80
    },
    {
      what: "the price before the cut of 2025-06-10",
      model: "o3",
      at: "2025-06-09",
      usage: { input: 75, reasoning: 1000, output: 186 },
      microcents: 481_900, // 75 × 100 + 1,186 × 400
    },
    {
      what: "audio at its own rates",
      model: "gpt-audio",
      usage: { input: 16, input_audio: 37, output: 20, output_audio: 50 },
      microcents: 46_240, // 16 × 25 + 37 × 320 + 20 × 100 + 50 × 640
    },
    {
      what: "flex at half",
      model: "gpt-5",
      served: { serviceTier: "flex" },
      usage: { input: 1000, output: 100 },
      microcents: 11_250, // 1,000 × 12.5 / 2 + 100 × 100 / 2
    },
    {
      what: "priority ($4.25, $17)",
      model: "gpt-4o",
      served: { serviceTier: "priority" },
      usage: { input: 100, output: 10 },
      microcents: 5_950, // 100 × 42.5 + 10 × 170
    },
    {
      what: "priority under its newer name",
      model: "gpt-4o",
      served: { serviceTier: "fast" },
      usage: { input: 100, output: 10 },
      microcents: 5_950,
    },
    {
      what: "priority ($0.25, $1.00): five thirds of the list, exactly",
      model: "gpt-4o-mini",
      served: { serviceTier: "priority" },
      usage: { input: 100, output: 10 },
      microcents: 350, // 100 × 2.5 + 10 × 10
    },
    {
      what: "priority ($2.00, $0.50, $8.00)",
      model: "o4-mini",
      served: { serviceTier: "priority" },
      usage: { input: 100, cache_read: 40, output: 10 },
      microcents: 3_000, // 100 × 20 + 40 × 5 + 10 × 80
    },
    {
      what: "priority ($12.50, $75)",
      model: "gpt-5.5",
      served: { serviceTier: "priority" },
      usage: { input: 100, output: 10 },
      microcents: 20_000, // 100 × 125 + 10 × 750
    },
    {
      what: "priority ($0.45, $3.60)",
      model: "gpt-5-mini",
      served: { serviceTier: "priority" },
      usage: { input: 100, output: 10 },
      microcents: 810, // 100 × 4.5 + 10 × 36
    },
    {
      what: "271,999 input tokens at the base rates",
      model: "gpt-5.4",
      usage: { input: 271_999, output: 100 },
      microcents: 6_814_975, // 271,999 × 25 + 100 × 150
    },
    {
      what: "MON-017 272,000 input tokens, still at the base rates",
      model: "gpt-5.4",
      usage: { input: 272_000, output: 100 },
      microcents: 6_815_000, // 272,000 × 25 + 100 × 150
    },
    {
      what: "272,001 input tokens, all at the long-context rates",
      model: "gpt-5.4",
      usage: { input: 272_001, output: 100 },
      microcents: 13_622_550, // 272,001 × 50 + 100 × 225
    },
    {
      what: "cached tokens count towards the threshold",
      model: "gpt-5.4",
      usage: { input: 100_000, cache_read: 172_001 },
      microcents: 5_860_005, // 100,000 × 50 + 172,001 × 5
    },
    {
      what: "MON-017 exactly the threshold, still at the ordinary rates",
      model: "gpt-6.1-sol",
      usage: { input: 272_000, output: 100 },
      microcents: 5_450_000, // 272,000 × 20 + 100 × 100
    },
    {
      what: "one token above it",
      model: "gpt-6.1-sol",
      usage: { input: 272_001, output: 100 },
      microcents: 10_895_040, // 272,001 × 40 + 100 × 150
    },
    {
      what: "cache writes of 30 minutes and of 12 hours",
      model: "gpt-6.1-terra",
      usage: { input: 10, cache_read: 100, cache_write: 1000, cache_write_1h: 2000, output: 10 },
      microcents: 63_150, // 10 × 10 + 100 × 0.5 + 1,000 × 12.5 + 2,000 × 25 + 10 × 50
    },
    {
      what: "a long prompt whole at its rates",
      model: "gpt-6.1-terra",
      usage: { input: 272_001, cache_read: 100, output: 10 },
      microcents: 5_440_870, // 272,001 × 20 + 100 × 1 + 10 × 75
    },
    {
      what: "cache writes of 30 minutes and of 12 hours, at 1.25 and 2.5 times the input price",
      model: "gpt-6.1-sol",
      usage: { input: 10, cache_write: 1000, cache_write_1h: 2000, output: 10 },
      microcents: 126_200, // 10 × 20 + 1,000 × 25 + 2,000 × 50 + 10 × 100
    },
    {
      what: "a model for approved organizations",
      model: "gpt-6-rosalind",
      usage: { input: 100, cache_read: 100, cache_write: 100, output: 10 },
      microcents: 42_750, // 100 × 150 + 100 × 15 + 100 × 187.5 + 10 × 750
    },
    {
      what: "a long prompt of a model for approved organizations",
      model: "gpt-6-rosalind",
      usage: { input: 272_001, output: 10 },
      microcents: 81_611_550, // 272,001 × 300 + 10 × 1,125
    },
    {
      what: "a model for approved organizations",
      model: "gpt-6-cyber",
      usage: { input: 100, cache_read: 100, output: 10 },
      microcents: 32_000, // 100 × 200 + 100 × 20 + 10 × 1,000
    },
    {
      what: "a model for approved organizations",
      model: "gpt-6-astra-law",
      usage: { input: 100, cache_read: 100, output: 10 },
      microcents: 16_000, // 100 × 100 + 100 × 10 + 10 × 500
    },
    { what: "embeddings", model: "text-embedding-3-small", usage: { input: 4 }, microcents: 1 }, // 4 × 0.2 = 0.8
    {
      what: "searches, by the piece",
      model: "gpt-4.1",
      usage: { input: 10, web_searches: 3, file_searches: 2 },
      microcents: 350_200, // 10 × 20 + 3 × 100,000 + 2 × 25,000
    },
  ]);
});
