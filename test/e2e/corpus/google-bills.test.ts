/** Hand-computed bills: tokens × cents per million ÷ 10, which is 10 microcents per token for every $1 per million. */
import { describe } from "bun:test";
import { checkBills } from "./check-bills.ts";
import { countedGoogleAnswer, priced } from "./counted-google-answer.ts";
import { googleAnswer } from "./google-answer.ts";

describe("MON-016 MON-005 MON-006 MON-007 MON-008 google's bill, plain and streamed", () => {
  checkBills(
    ["/v1/chat/completions", "/v1/messages"],
    [
      {
        what: "cache reads inside the prompt, at a tenth",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer("gemini-2.5-flash", {
          prompt: 9622,
          cached: 9000,
          candidates: 35,
          thoughts: 136,
        }),
        bill: {
          ...priced,
          usage: { input: 622, cache_read: 9000, output: 35, reasoning: 136 },
          input_tokens: 9622,
          output_tokens: 171,
          cost_microcents: 8_841, // 622 × 3 + 9,000 × 0.3 + 171 × 25
        },
      },
      {
        what: "just below 200K: all of it at the base rates",
        model: "gemini-2.5-pro",
        answer: countedGoogleAnswer("gemini-2.5-pro", { prompt: 199_999, cached: 50_000, candidates: 80 }),
        bill: {
          ...priced,
          usage: { input: 149_999, cache_read: 50_000, output: 80 },
          input_tokens: 199_999,
          output_tokens: 80,
          cost_microcents: 1_945_488, // 149,999 × 12.5 + 50,000 × 1.25 + 80 × 100 = 1,945,487.5
        },
      },
      {
        what: "above 200K: all of it at the long-context rates",
        model: "gemini-2.5-pro",
        answer: countedGoogleAnswer("gemini-2.5-pro", { prompt: 200_001, cached: 50_000, candidates: 80 }),
        bill: {
          ...priced,
          usage: { input: 150_001, cache_read: 50_000, output: 80 },
          input_tokens: 200_001,
          output_tokens: 80,
          cost_microcents: 3_887_025, // 150,001 × 25 + 50,000 × 2.5 + 80 × 150
        },
      },
      {
        what: "thoughts outside the candidates, as output",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer(
          "gemini-2.5-flash",
          { prompt: 17, candidates: 102, thoughts: 412 },
          { says: "thoughts" },
        ),
        bill: {
          ...priced,
          usage: { input: 17, output: 102, reasoning: 412 },
          input_tokens: 17,
          output_tokens: 514,
          cost_microcents: 12_901, // 17 × 3 + 514 × 25
        },
      },
      {
        what: "thoughts that the candidates include: the total says so, and they are billed once",
        model: "gemini-2.5-flash",
        answer: googleAnswer({
          model: "gemini-2.5-flash",
          usage: {
            promptTokenCount: 341,
            candidatesTokenCount: 3362,
            thoughtsTokenCount: 3347,
            totalTokenCount: 3703,
            serviceTier: "standard",
          },
          says: "thoughts",
        }),
        bill: {
          ...priced,
          usage: { input: 341, output: 15, reasoning: 3347 },
          input_tokens: 341,
          output_tokens: 3362,
          cost_microcents: 85_073, // 341 × 3 + 3,362 × 25
        },
      },
      {
        what: "thoughts that only the total includes",
        model: "gemini-2.5-flash",
        answer: googleAnswer({
          model: "gemini-2.5-flash",
          usage: {
            promptTokenCount: 100,
            candidatesTokenCount: 10,
            totalTokenCount: 610,
            serviceTier: "standard",
          },
        }),
        bill: {
          ...priced,
          cost_basis: "estimated",
          usage: { input: 100, output: 10, reasoning: 500 },
          input_tokens: 100,
          output_tokens: 510,
          cost_microcents: 13_050, // 100 × 3 + 510 × 25
        },
      },
      {
        what: "thoughts up to the limit, and no candidates' count at all",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer("gemini-2.5-flash", { prompt: 25, thoughts: 97 }, { says: "nothing" }),
        bill: {
          ...priced,
          usage: { input: 25, reasoning: 97 },
          input_tokens: 25,
          output_tokens: 97,
          cost_microcents: 2_500, // 25 × 3 + 97 × 25
        },
      },
      {
        what: "a tool call",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer(
          "gemini-2.5-flash",
          { prompt: 103, candidates: 30, thoughts: 43 },
          { says: "tool call" },
        ),
        bill: {
          ...priced,
          usage: { input: 103, output: 30, reasoning: 43 },
          input_tokens: 103,
          output_tokens: 73,
          cost_microcents: 2_134, // 103 × 3 + 73 × 25
        },
      },
      {
        what: "all output at another price if a preview has thought",
        model: "gemini-2.5-flash-preview-05-20",
        answer: countedGoogleAnswer("gemini-2.5-flash-preview-05-20", {
          prompt: 17,
          candidates: 102,
          thoughts: 412,
        }),
        bill: {
          ...priced,
          usage: { input: 17, output: 102, reasoning: 412 },
          input_tokens: 17,
          output_tokens: 514,
          cost_microcents: 18_016, // 17 × 1.5 + 514 × 35 = 18,015.5
        },
      },
      {
        what: "an answer that was not counted: only its tokens are estimated",
        model: "gemini-3-flash-preview",
        answer: googleAnswer({
          model: "gemini-3-flash-preview",
          usage: {
            promptTokenCount: 417,
            thoughtsTokenCount: 71,
            totalTokenCount: 488,
            serviceTier: "standard",
          },
          queries: ["bern"],
          says: "thoughts",
        }),
        bill: {
          ...priced,
          usage_source: "estimated",
          cost_basis: "estimated",
          usage: { input: 417, output: 5, reasoning: 71, web_searches: 1 },
          input_tokens: 417,
          output_tokens: 76,
          cost_microcents: 144_365, // 417 × 5 + 71 × 30 + 140,000, and 17 bytes of text: 5 × 30
        },
      },
      {
        what: "a name that stands for the newest model, at its price",
        model: "gemini-flash-latest",
        answer: countedGoogleAnswer("gemini-flash-latest", { prompt: 100, candidates: 10 }),
        bill: {
          ...priced,
          usage: { input: 100, output: 10 },
          input_tokens: 100,
          output_tokens: 10,
          cost_microcents: 1_125, // 100 × 7.5 + 10 × 37.5
        },
      },
      {
        what: "an open model, which is free",
        model: "gemma-3-27b-it",
        answer: countedGoogleAnswer("gemma-3-27b-it", { prompt: 100, candidates: 10 }),
        bill: {
          ...priced,
          usage: { input: 100, output: 10 },
          input_tokens: 100,
          output_tokens: 10,
          cost_microcents: 0,
        },
      },
      {
        what: "audio inside the prompt, at its own rate",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer("gemini-2.5-flash", { prompt: 332, audio: 300, candidates: 10 }),
        bill: {
          ...priced,
          usage: { input: 32, input_audio: 300, output: 10 },
          input_tokens: 332,
          output_tokens: 10,
          cost_microcents: 3_346, // 32 × 3 + 300 × 10 + 10 × 25
        },
      },
    ],
  );
});
