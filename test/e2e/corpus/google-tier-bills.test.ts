/** Hand-computed bills: tokens × cents per million ÷ 10, which is 10 microcents per token for every $1 per million. */
import { describe } from "bun:test";
import { checkBills } from "./check-bills.ts";
import { countedGoogleAnswer, priced } from "./counted-google-answer.ts";

describe("MON-016 MON-005 MON-006 MON-007 google's bill at each service tier, plain and streamed", () => {
  checkBills(
    ["/v1/chat/completions", "/v1/messages"],
    [
      {
        what: "served as flex, at half",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer("gemini-2.5-flash", { prompt: 1001, candidates: 100 }, {}, "flex"),
        bill: {
          ...priced,
          service_tier: "flex",
          usage: { input: 1001, output: 100 },
          input_tokens: 1001,
          output_tokens: 100,
          cost_microcents: 2_752, // 1,001 × 1.5 + 100 × 12.5 = 2,751.5
        },
      },
      {
        what: "served as flex: half, but for what came from the cache",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer(
          "gemini-2.5-flash",
          { prompt: 1101, cached: 100, candidates: 100 },
          {},
          "flex",
        ),
        bill: {
          ...priced,
          service_tier: "flex",
          usage: { input: 1001, cache_read: 100, output: 100 },
          input_tokens: 1101,
          output_tokens: 100,
          cost_microcents: 2_782, // 1,001 × 1.5 + 100 × 0.3 + 100 × 12.5 = 2,781.5
        },
      },
      {
        what: "served as priority, at 1.8 ×",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer("gemini-2.5-flash", { prompt: 1001, candidates: 100 }, {}, "priority"),
        bill: {
          ...priced,
          service_tier: "priority",
          usage: { input: 1001, output: 100 },
          input_tokens: 1001,
          output_tokens: 100,
          cost_microcents: 9_905, // 1,001 × 5.4 + 100 × 45 = 9,905.4
        },
      },
      {
        what: "served as priority by Vertex, at 1.8 ×",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer(
          "gemini-2.5-flash",
          { prompt: 1001, candidates: 100 },
          {},
          { trafficType: "ON_DEMAND_PRIORITY" },
        ),
        bill: {
          ...priced,
          service_tier: "ON_DEMAND_PRIORITY",
          usage: { input: 1001, output: 100 },
          input_tokens: 1001,
          output_tokens: 100,
          cost_microcents: 9_905, // 1,001 × 5.4 + 100 × 45 = 9,905.4
        },
      },
      {
        what: "on demand, at the list price",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer(
          "gemini-2.5-flash",
          { prompt: 1001, candidates: 100 },
          {},
          { trafficType: "ON_DEMAND" },
        ),
        bill: {
          ...priced,
          service_tier: "ON_DEMAND",
          usage: { input: 1001, output: 100 },
          input_tokens: 1001,
          output_tokens: 100,
          cost_microcents: 5_503, // 1,001 × 3 + 100 × 25
        },
      },
      {
        what: "on throughput bought in advance, whose price nobody states",
        model: "gemini-2.5-flash",
        answer: countedGoogleAnswer(
          "gemini-2.5-flash",
          { prompt: 1001, candidates: 100 },
          {},
          { trafficType: "PROVISIONED_THROUGHPUT" },
        ),
        bill: {
          ...priced,
          cost_basis: "estimated",
          service_tier: "PROVISIONED_THROUGHPUT",
          usage: { input: 1001, output: 100 },
          input_tokens: 1001,
          output_tokens: 100,
          cost_microcents: 5_503, // the list price
        },
      },
    ],
  );
});
