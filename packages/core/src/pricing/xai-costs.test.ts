import { describe } from "bun:test";
import { checkCosts } from "../../../../test/support/check-costs.ts";

describe("MON-002 MON-006 MON-007 MON-008 xai bills", () => {
  checkCosts("xai", [
    {
      what: "cached input and reasoning",
      model: "grok-4.3",
      usage: { input: 100, cache_read: 1000, output: 40, reasoning: 290 },
      microcents: 11_500, // 100 × 12.5 + 1,000 × 2 + 330 × 25
    },
    {
      what: "199,999 input tokens at the base rates",
      model: "grok-4.3",
      usage: { input: 199_999, output: 1 },
      microcents: 2_500_012, // 199,999 × 12.5 + 25 = 2,500,012.5, rounded to even
    },
    {
      what: "MON-017 200,000 input tokens, all at the long-context rates",
      model: "grok-4.3",
      usage: { input: 200_000, output: 1 },
      microcents: 5_000_050, // 200,000 × 25 + 50
    },
    {
      what: "a model newer than the base data",
      model: "grok-4.7",
      usage: { input: 100, cache_read: 100, output: 10 },
      microcents: 3_100, // 100 × 20 + 100 × 5 + 10 × 60
    },
    {
      what: "double from 128,000 tokens on, until it was retired",
      model: "grok-4-fast-reasoning",
      at: "2026-05-15",
      usage: { input: 128_000, output: 10 },
      microcents: 512_100, // 128,000 × 4 + 10 × 10
    },
    ...[
      "grok-4-fast-reasoning",
      "grok-4-1-fast-non-reasoning",
      "grok-4-latest",
      "grok-4",
      "grok-3",
      "grok-3-beta",
    ].map(model => ({
      what: "a retired model, which another one serves at its own price",
      model,
      usage: { input: 100, cache_read: 100, output: 10 },
      microcents: 1_700, // 100 × 12.5 + 100 × 2 + 10 × 25
    })),
    {
      what: "the price until it was retired",
      model: "grok-4-0709",
      at: "2026-05-15",
      usage: { input: 100, cache_read: 100, output: 10 },
      microcents: 5_250, // 100 × 30 + 100 × 7.5 + 10 × 150
    },
    {
      what: "another model, which is not retired",
      model: "grok-3-mini",
      usage: { input: 100, output: 10 },
      microcents: 350, // 100 × 3 + 10 × 5
    },
    {
      what: "priority at twice the price",
      model: "grok-4.5",
      served: { serviceTier: "priority" },
      usage: { input: 100, output: 10 },
      microcents: 5_200, // 100 × 40 + 10 × 120
    },
    { what: "web searches", model: "grok-4.3", usage: { web_searches: 2 }, microcents: 100_000 }, // 2 × 50,000
    {
      what: "a retired model",
      model: "grok-beta",
      usage: { input: 1000, output: 100 },
      microcents: 65_000, // 1,000 × 50 + 100 × 150
    },
    ...["grok-4.20-reasoning-gv2", "grok-4.20-non-reasoning-gv2"].map(model => ({
      what: "another deployment of a model, at its price",
      model,
      usage: { input: 200_000, output: 100 },
      microcents: 5_005_000, // 200,000 × 25 + 100 × 50
    })),
    ...["grok-4.20", "grok-4.20-multi-agent", "grok-4.20-beta-0309-reasoning"].flatMap(model => [
      {
        what: "the launch price",
        model,
        at: "2026-04-29",
        usage: { input: 100, cache_read: 100, output: 10 },
        microcents: 2_800, // 100 × 20 + 100 × 2 + 10 × 60
      },
      {
        what: "the launch price of a long prompt",
        model,
        at: "2026-04-29",
        usage: { input: 200_000, cache_read: 100, output: 10 },
        microcents: 8_001_600, // 200,000 × 40 + 100 × 4 + 10 × 120
      },
      {
        what: "the price since 2026-04-30",
        model,
        at: "2026-04-30",
        usage: { input: 100, cache_read: 100, output: 10 },
        microcents: 1_700, // 100 × 12.5 + 100 × 2 + 10 × 25
      },
    ]),
    {
      what: "batch at a fifth less",
      model: "grok-4.7",
      served: { serviceTier: "batch" },
      usage: { input: 100, cache_read: 100, output: 10 },
      microcents: 2_480, // 100 × 16 + 100 × 4 + 10 × 48
    },
    {
      what: "a name that says how the model works",
      model: "grok-4.20-experimental-beta-0304-reasoning",
      usage: { input: 1000, output: 100 },
      microcents: 15_000, // 1,000 × 12.5 + 100 × 25
    },
  ]);
});
