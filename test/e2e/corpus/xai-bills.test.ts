/** Hand-computed bills: tokens × cents per million ÷ 10. xAI states its own bill in ticks, 1,000 per microcent. */
import { describe } from "bun:test";
import { checkBills } from "./check-bills.ts";
import { type XaiAnswer, xaiChatAnswer } from "./xai-chat-answer.ts";

const priced = { usage_source: "provider", cost_basis: "priced", service_tier: null } as const;
const reported = { ...priced, cost_basis: "reported" } as const;

interface Counts {
  readonly prompt: number;
  readonly cached?: number;
  readonly completion: number;
  readonly reasoning?: number;
  readonly ticks?: number;
  readonly tools?: number;
}

/** The prompt includes cached tokens; the completion excludes reasoning, and only the total has everything. */
const answer = (model: string, counts: Counts, more: Partial<XaiAnswer> = {}) =>
  xaiChatAnswer({
    model,
    usage: {
      prompt_tokens: counts.prompt,
      completion_tokens: counts.completion,
      total_tokens: counts.prompt + counts.completion + (counts.reasoning ?? 0),
      prompt_tokens_details: {
        text_tokens: counts.prompt,
        audio_tokens: 0,
        image_tokens: 0,
        cached_tokens: counts.cached ?? 0,
      },
      completion_tokens_details: {
        reasoning_tokens: counts.reasoning ?? 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: 0,
      ...(counts.tools !== undefined && { num_server_side_tools_used: counts.tools }),
      ...(counts.ticks !== undefined && { cost_in_usd_ticks: counts.ticks }),
    },
    ...more,
  });

describe("MON-016 MON-005 MON-006 MON-007 MON-008 xai's bill, plain and streamed", () => {
  const hidden = { prompt: 112, cached: 100, completion: 9, reasoning: 290 };
  const hiddenCounted = {
    usage: { input: 12, cache_read: 100, output: 9, reasoning: 290 },
    input_tokens: 112,
    output_tokens: 299,
  };
  checkBills(
    ["/v1/chat/completions", "/v1/messages"],
    [
      {
        what: "without a stated bill: cache reads, and reasoning from the total",
        model: "grok-4.3",
        answer: answer("grok-4.3", hidden),
        bill: { ...priced, ...hiddenCounted, cost_microcents: 7_825 }, // 12 × 12.5 + 100 × 2 + 299 × 25
      },
      {
        what: "its stated bill, equal to the prices",
        model: "grok-4.3",
        answer: answer("grok-4.3", { ...hidden, ticks: 7_825_000 }),
        bill: { ...reported, ...hiddenCounted, cost_microcents: 7_825 }, // 7,825,000 ÷ 1,000
      },
      {
        what: "its stated bill, with a discount that no price list has",
        model: "grok-4.3",
        answer: answer("grok-4.3", { ...hidden, ticks: 6_000_500 }),
        bill: { ...reported, ...hiddenCounted, cost_microcents: 6_000 }, // 6,000.5, rounded to even
      },
      {
        what: "its stated bill, with the fees of its tools",
        model: "grok-4.3",
        answer: answer("grok-4.3", { prompt: 1000, completion: 50, tools: 2, ticks: 113_750_000 }),
        bill: {
          ...reported,
          usage: { input: 1000, output: 50 },
          input_tokens: 1000,
          output_tokens: 50,
          cost_microcents: 113_750, // 1,000 × 12.5 + 50 × 25 + 2 × 50,000
        },
      },
      {
        what: "a stated bill ten thousand times too high",
        model: "grok-4.3",
        answer: answer("grok-4.3", { ...hidden, ticks: 78_250_000_000 }),
        bill: { ...priced, ...hiddenCounted, cost_basis: "estimated", cost_microcents: 7_825 },
      },
      {
        what: "a stated bill below zero",
        model: "grok-4.3",
        answer: answer("grok-4.3", { ...hidden, ticks: -7_825_000 }),
        bill: { ...priced, ...hiddenCounted, cost_basis: "estimated", cost_microcents: 7_825 },
      },
      {
        what: "a stated bill of zero",
        model: "grok-4.3",
        answer: answer("grok-4.3", { ...hidden, ticks: 0 }),
        bill: { ...priced, ...hiddenCounted, cost_basis: "estimated", cost_microcents: 7_825 },
      },
      {
        what: "just below 200K: all of it at the base rates",
        model: "grok-4.3",
        answer: answer("grok-4.3", { prompt: 199_999, cached: 99_999, completion: 1 }),
        bill: {
          ...priced,
          usage: { input: 100_000, cache_read: 99_999, output: 1 },
          input_tokens: 199_999,
          output_tokens: 1,
          cost_microcents: 1_450_023, // 100,000 × 12.5 + 99,999 × 2 + 1 × 25
        },
      },
      {
        what: "above 200K: all of it at the long-context rates",
        model: "grok-4.3",
        answer: answer("grok-4.3", { prompt: 200_001, cached: 100_001, completion: 1 }),
        bill: {
          ...priced,
          usage: { input: 100_000, cache_read: 100_001, output: 1 },
          input_tokens: 200_001,
          output_tokens: 1,
          cost_microcents: 2_900_054, // 100,000 × 25 + 100,001 × 4 + 1 × 50
        },
      },
      {
        what: "a beta name of a model, at its price",
        model: "grok-4.20-beta-latest",
        answer: answer("grok-4.20-beta-0309-reasoning", { prompt: 1000, cached: 400, completion: 50 }),
        bill: {
          ...priced,
          usage: { input: 600, cache_read: 400, output: 50 },
          input_tokens: 1000,
          output_tokens: 50,
          cost_microcents: 9_550, // 600 × 12.5 + 400 × 2 + 50 × 25
        },
      },
      {
        what: "several agents at the price of one",
        model: "grok-4.20-multi-agent",
        answer: answer("grok-4.20-multi-agent", { prompt: 1000, completion: 50 }),
        bill: {
          ...priced,
          usage: { input: 1000, output: 50 },
          input_tokens: 1000,
          output_tokens: 50,
          cost_microcents: 13_750, // 1,000 × 12.5 + 50 × 25
        },
      },
      {
        what: "a retired model, at the price of the one that answers for it",
        model: "grok-code-fast-1",
        answer: answer("grok-code-fast-1", { prompt: 1000, cached: 400, completion: 50 }),
        bill: {
          ...priced,
          usage: { input: 600, cache_read: 400, output: 50 },
          input_tokens: 1000,
          output_tokens: 50,
          cost_microcents: 7_800, // 600 × 10 + 400 × 2 + 50 × 20
        },
      },
      {
        what: "a tool call, whole in one chunk",
        model: "grok-4.3",
        answer: answer(
          "grok-4.3",
          { prompt: 291, cached: 244, completion: 26, reasoning: 189 },
          { says: "tool call" },
        ),
        bill: {
          ...priced,
          usage: { input: 47, cache_read: 244, output: 26, reasoning: 189 },
          input_tokens: 291,
          output_tokens: 215,
          cost_microcents: 6_450, // 47 × 12.5 + 244 × 2 + 215 × 25 = 6,450.5, rounded to even
        },
      },
      {
        what: "served as priority, at twice the price",
        model: "grok-4.5",
        answer: answer("grok-4.5", { prompt: 100, completion: 10 }, { service_tier: "priority" }),
        bill: {
          ...priced,
          service_tier: "priority",
          usage: { input: 100, output: 10 },
          input_tokens: 100,
          output_tokens: 10,
          cost_microcents: 5_200, // 100 × 40 + 10 × 120
        },
      },
    ],
  );
});
