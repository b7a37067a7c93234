/** Hand-computed bills: tokens × cents per million ÷ 10, which is 10 microcents per token for every $1 per million. */
import { describe } from "bun:test";
import { checkBills } from "./check-bills.ts";
import { countedGoogleAnswer, priced } from "./counted-google-answer.ts";

describe("MON-016 MON-005 google's bill for searches and tools, plain and streamed", () => {
  checkBills(
    ["/v1/chat/completions", "/v1/messages"],
    [
      {
        what: "the prompt of its own tools, outside the prompt",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer("gemini-2.5-flash", {
          prompt: 17,
          toolPrompt: 241,
          candidates: 102,
          thoughts: 412,
        }),
        bill: {
          ...priced,
          usage: { input: 258, output: 102, reasoning: 412 },
          input_tokens: 258,
          output_tokens: 514,
          cost_microcents: 13_624, // 258 × 3 + 514 × 25
        },
      },
      {
        what: "grounding by the query, from 3 on",
        model: "gemini-3.5-flash",
        answer: countedGoogleAnswer(
          "gemini-3.5-flash",
          { prompt: 20, candidates: 60 },
          { queries: ["bern", "zug"] },
        ),
        bill: {
          ...priced,
          usage: { input: 20, output: 60, web_searches: 2 },
          input_tokens: 20,
          output_tokens: 60,
          cost_microcents: 285_700, // 20 × 15 + 60 × 90 + 2 × 140,000
        },
      },
      {
        what: "grounding by the prompt, before 3",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer(
          "gemini-2.5-flash",
          { prompt: 20, candidates: 60 },
          { queries: ["bern", "zug"] },
        ),
        bill: {
          ...priced,
          usage: { input: 20, output: 60, web_searches: 1 },
          input_tokens: 20,
          output_tokens: 60,
          cost_microcents: 351_560, // 20 × 3 + 60 × 25 + 350,000
        },
      },
      {
        what: "a query that is listed twice, once",
        model: "gemini-3.5-flash",
        answer: countedGoogleAnswer(
          "gemini-3.5-flash",
          { prompt: 20, candidates: 60 },
          { queries: ["bern", "bern", ""] },
        ),
        bill: {
          ...priced,
          usage: { input: 20, output: 60, web_searches: 1 },
          input_tokens: 20,
          output_tokens: 60,
          cost_microcents: 145_700, // 20 × 15 + 60 × 90 + 140,000
        },
      },
      {
        what: "grounding by the prompt if the answer does not name its model",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer(
          null,
          { prompt: 20, candidates: 60 },
          { queries: ["a", "b", "c"], cites: "web" },
        ),
        bill: {
          ...priced,
          usage: { input: 20, output: 60, web_searches: 1 },
          input_tokens: 20,
          output_tokens: 60,
          cost_microcents: 351_560, // 20 × 3 + 60 × 25 + 350,000
        },
      },
      {
        what: "a prompt grounded with Google Maps",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer(
          "gemini-2.5-flash",
          { prompt: 18, candidates: 105, thoughts: 42 },
          { cites: "maps" },
        ),
        bill: {
          ...priced,
          usage: { input: 18, output: 105, reasoning: 42, web_searches: 1 },
          input_tokens: 18,
          output_tokens: 147,
          cost_microcents: 253_729, // 18 × 3 + 147 × 25 + 250,000
        },
      },
    ],
  );
});
