/** Hand-computed bills: tokens × cents per million ÷ 10, which is 10 microcents per token for every $1 per million. */
import { describe } from "bun:test";
import { checkBills } from "./check-bills.ts";
import { type ChatAnswer, openaiChatAnswer } from "./openai-chat-answer.ts";

const priced = { usage_source: "provider", cost_basis: "priced", service_tier: "default" } as const;

interface Counts {
  readonly prompt: number;
  readonly cached?: number;
  readonly written?: number;
  readonly audioIn?: number;
  readonly completion: number;
  readonly reasoning?: number;
  readonly audioOut?: number;
}

/** The prompt includes cached, written and audio tokens; the completion includes reasoning and audio. */
const answer = (model: string, counts: Counts, more: Partial<ChatAnswer> = {}) =>
  openaiChatAnswer({
    model,
    usage: {
      prompt_tokens: counts.prompt,
      completion_tokens: counts.completion,
      total_tokens: counts.prompt + counts.completion,
      prompt_tokens_details: {
        cached_tokens: counts.cached ?? 0,
        audio_tokens: counts.audioIn ?? 0,
        ...(counts.written !== undefined && { cache_write_tokens: counts.written }),
      },
      completion_tokens_details: {
        reasoning_tokens: counts.reasoning ?? 0,
        audio_tokens: counts.audioOut ?? 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    ...more,
  });

describe("MON-016 MON-005 MON-006 MON-007 MON-008 openai's bill, plain and streamed", () => {
  checkBills(
    ["/v1/chat/completions", "/v1/messages"],
    [
      {
        what: "a model that searches for every answer, and the search",
        model: "gpt-4o-search-preview",
        answer: answer("gpt-4o-search-preview-2025-03-11", { prompt: 14, completion: 603 }),
        bill: {
          ...priced,
          usage: { input: 14, output: 603, web_searches: 1 },
          input_tokens: 14,
          output_tokens: 603,
          cost_microcents: 310_650, // 14 × 25 + 603 × 100 + 250,000
        },
      },
      {
        what: "cached input of a model that searches for every answer",
        model: "gpt-4o-search-preview",
        answer: answer("gpt-4o-search-preview-2025-03-11", { prompt: 1200, cached: 1024, completion: 10 }),
        bill: {
          ...priced,
          usage: { input: 176, cache_read: 1024, output: 10, web_searches: 1 },
          input_tokens: 1200,
          output_tokens: 10,
          cost_microcents: 268_200, // 176 × 25 + 1,024 × 12.5 + 10 × 100 + 250,000
        },
      },
      {
        what: "a small model that searches for every answer, at the same price of a search",
        model: "gpt-4o-mini-search-preview",
        answer: answer("gpt-4o-mini-search-preview-2025-03-11", { prompt: 9, completion: 198 }),
        bill: {
          ...priced,
          usage: { input: 9, output: 198, web_searches: 1 },
          input_tokens: 9,
          output_tokens: 198,
          cost_microcents: 251_202, // 9 × 1.5 + 198 × 6 + 250,000 = 251,201.5
        },
      },
      {
        what: "a newer model that searches for every answer",
        model: "gpt-5-search-api",
        answer: answer("gpt-5-search-api-2025-10-14", { prompt: 100, completion: 10 }),
        bill: {
          ...priced,
          usage: { input: 100, output: 10, web_searches: 1 },
          input_tokens: 100,
          output_tokens: 10,
          cost_microcents: 102_250, // 100 × 12.5 + 10 × 100 + 100,000
        },
      },
      {
        what: "audio heard by a preview, at its own rate",
        model: "gpt-4o-audio-preview",
        answer: answer("gpt-4o-audio-preview-2025-06-03", { prompt: 64, audioIn: 44, completion: 9 }),
        bill: {
          ...priced,
          usage: { input: 20, input_audio: 44, output: 9 },
          input_tokens: 64,
          output_tokens: 9,
          cost_microcents: 19_000, // 20 × 25 + 44 × 400 + 9 × 100
        },
      },
      {
        what: "audio heard and spoken by a small preview",
        model: "gpt-4o-mini-audio-preview",
        answer: answer(
          "gpt-4o-mini-audio-preview-2024-12-17",
          { prompt: 60, audioIn: 50, completion: 30, audioOut: 20 },
          { says: "audio" },
        ),
        nativeOnly: true,
        bill: {
          ...priced,
          usage: { input: 10, input_audio: 50, output: 10, output_audio: 20 },
          input_tokens: 60,
          output_tokens: 30,
          cost_microcents: 9_075, // 10 × 1.5 + 50 × 100 + 10 × 6 + 20 × 200
        },
      },
      {
        what: "served as ultrafast, at 6 ×",
        model: "gpt-6.1-sol",
        answer: answer("gpt-6.1-sol", { prompt: 100, completion: 10 }, { service_tier: "ultrafast" }),
        bill: {
          ...priced,
          service_tier: "ultrafast",
          usage: { input: 100, output: 10 },
          input_tokens: 100,
          output_tokens: 10,
          cost_microcents: 18_000, // 100 × 120 + 10 × 600
        },
      },
      {
        what: "cache reads at half the input price",
        model: "gpt-4o",
        answer: answer("gpt-4o-2024-08-06", { prompt: 2806, cached: 2560, completion: 117 }),
        bill: {
          ...priced,
          usage: { input: 246, cache_read: 2560, output: 117 },
          input_tokens: 2806,
          output_tokens: 117,
          cost_microcents: 49_850, // 246 × 25 + 2,560 × 12.5 + 117 × 100
        },
      },
      {
        what: "cache writes at 1.25 × input, beside reads",
        model: "gpt-5.6-sol",
        answer: answer("gpt-5.6-sol", { prompt: 2345, cached: 512, written: 1800, completion: 41 }),
        bill: {
          ...priced,
          usage: { input: 33, cache_read: 512, cache_write: 1800, output: 41 },
          input_tokens: 2345,
          output_tokens: 41,
          cost_microcents: 101_568, // 33 × 40 + 512 × 4 + 1,800 × 50 + 41 × 200
        },
      },
      {
        what: "cache writes at the input price, where writing is free",
        model: "gpt-4o",
        answer: answer("gpt-4o-2024-08-06", { prompt: 100, written: 60, completion: 10 }),
        bill: {
          ...priced,
          usage: { input: 40, cache_write: 60, output: 10 },
          input_tokens: 100,
          output_tokens: 10,
          cost_microcents: 3_500, // 40 × 25 + 60 × 25 + 10 × 100
        },
      },
      {
        what: "just below 272K: all of it at the base rates",
        model: "gpt-5.4",
        answer: answer("gpt-5.4-2026-03-05", { prompt: 271_999, cached: 100_000, completion: 50 }),
        bill: {
          ...priced,
          usage: { input: 171_999, cache_read: 100_000, output: 50 },
          input_tokens: 271_999,
          output_tokens: 50,
          cost_microcents: 4_557_475, // 171,999 × 25 + 100,000 × 2.5 + 50 × 150
        },
      },
      {
        what: "above 272K: all of it at the long-context rates",
        model: "gpt-5.4",
        answer: answer("gpt-5.4-2026-03-05", { prompt: 272_001, cached: 100_000, completion: 50 }),
        bill: {
          ...priced,
          usage: { input: 172_001, cache_read: 100_000, output: 50 },
          input_tokens: 272_001,
          output_tokens: 50,
          cost_microcents: 9_111_300, // 172,001 × 50 + 100,000 × 5 + 50 × 225
        },
      },
      {
        what: "reasoning included in the completion, billed once",
        model: "o3",
        answer: answer("o3-2025-04-16", { prompt: 75, completion: 1186, reasoning: 1000 }),
        bill: {
          ...priced,
          usage: { input: 75, output: 186, reasoning: 1000 },
          input_tokens: 75,
          output_tokens: 1186,
          cost_microcents: 96_380, // 75 × 20 + 1,186 × 80
        },
      },
      {
        what: "a tool call",
        model: "gpt-4o-mini",
        answer: answer(
          "gpt-4o-mini-2024-07-18",
          { prompt: 83, completion: 17 },
          {
            says: "tool call",
          },
        ),
        bill: {
          ...priced,
          usage: { input: 83, output: 17 },
          input_tokens: 83,
          output_tokens: 17,
          cost_microcents: 226, // 83 × 1.5 + 17 × 6 = 226.5, rounded to even
        },
      },
      {
        what: "served as flex, at half",
        model: "gpt-5",
        answer: answer(
          "gpt-5-2025-08-07",
          { prompt: 1001, completion: 100, reasoning: 64 },
          {
            service_tier: "flex",
          },
        ),
        bill: {
          ...priced,
          service_tier: "flex",
          usage: { input: 1001, output: 36, reasoning: 64 },
          input_tokens: 1001,
          output_tokens: 100,
          cost_microcents: 11_256, // 1,001 × 6.25 + 100 × 50 = 11,256.25
        },
      },
      {
        what: "served as priority, at 1.7 ×",
        model: "gpt-4o",
        answer: answer(
          "gpt-4o-2024-08-06",
          { prompt: 100, completion: 10 },
          {
            service_tier: "priority",
          },
        ),
        bill: {
          ...priced,
          service_tier: "priority",
          usage: { input: 100, output: 10 },
          input_tokens: 100,
          output_tokens: 10,
          cost_microcents: 5_950, // 100 × 42.5 + 10 × 170
        },
      },
      {
        what: "audio at its own rates, in and out",
        model: "gpt-audio",
        nativeOnly: true,
        answer: answer(
          "gpt-audio-2025-08-28",
          { prompt: 53, audioIn: 37, completion: 70, audioOut: 50 },
          { says: "audio" },
        ),
        bill: {
          ...priced,
          usage: { input: 16, input_audio: 37, output: 20, output_audio: 50 },
          input_tokens: 53,
          output_tokens: 70,
          cost_microcents: 46_240, // 16 × 25 + 37 × 320 + 20 × 100 + 50 × 640
        },
      },
    ],
  );
});
