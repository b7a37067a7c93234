/** Hand-computed bills: tokens × cents per million ÷ 10. */
import { describe } from "bun:test";
import { checkBills } from "./check-bills.ts";
import { countedResponse, priced, webSearch } from "./counted-response.ts";

describe("MON-016 MON-005 MON-007 openai's bill for an answer's server tools", () => {
  const image = (input: number, output: number) => ({
    input_tokens: input,
    input_tokens_details: { image_tokens: 0, text_tokens: input },
    output_tokens: output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
    total_tokens: input + output,
  });
  checkBills(
    ["/v1/responses"],
    [
      {
        what: "a drawn image, by another model at its own price",
        model: "gpt-5-mini",
        answer: countedResponse(
          "gpt-5-mini-2025-08-07",
          { input: 2279, output: 683, reasoning: 576 },
          {
            tools: [{ id: "ig_1", type: "image_generation_call", status: "completed", result: "iVBOR" }],
            more: {
              tool_usage: { image_gen: image(71, 196), web_search: { num_requests: 0 } },
              tools: [{ type: "image_generation", model: "gpt-image-2" }],
            },
          },
        ),
        bill: {
          ...priced,
          usage: { input: 2279, output: 107, reasoning: 576 },
          input_tokens: 2350,
          output_tokens: 879,
          cost_microcents: 81_708, // 2,279 × 2.5 + 683 × 20 + 71 × 50 + 196 × 300 = 81,707.5
        },
      },
      {
        what: "a drawn image, by a model that is newer than the price data",
        model: "gpt-5-mini",
        answer: countedResponse(
          "gpt-5-mini-2025-08-07",
          { input: 1000, output: 100 },
          {
            tools: [{ id: "ig_1", type: "image_generation_call", status: "completed", result: "iVBOR" }],
            more: {
              tool_usage: { image_gen: image(50, 1756) },
              tools: [{ type: "image_generation", model: "gpt-image-2.6-sunburst" }],
            },
          },
        ),
        bill: {
          ...priced,
          usage: { input: 1000, output: 100 },
          input_tokens: 1050,
          output_tokens: 1856,
          cost_microcents: 533_800, // 1,000 × 2.5 + 100 × 20 + 50 × 50 + 1,756 × 300
        },
      },
      {
        what: "a drawn image, partly from the cache, and at the list price although the answer is not",
        model: "gpt-5",
        answer: countedResponse(
          "gpt-5-2025-08-07",
          { input: 1000, output: 100 },
          {
            service_tier: "flex",
            tools: [{ id: "ig_1", type: "image_generation_call", status: "completed", result: "iVBOR" }],
            more: {
              tool_usage: {
                image_gen: {
                  ...image(5000, 1000),
                  input_tokens_details: { image_tokens: 4500, text_tokens: 500 },
                  cached_tokens: 4000,
                  cached_tokens_details: { cached_image_tokens: 3600, cached_text_tokens: 400 },
                },
              },
              tools: [{ type: "image_generation", model: "gpt-image-1" }],
            },
          },
        ),
        bill: {
          ...priced,
          service_tier: "flex",
          usage: { input: 1000, output: 100 },
          input_tokens: 6000,
          output_tokens: 1100,
          // 1,000 × 6.25 + 100 × 50, then 100 × 50 + 900 × 100 + 400 × 12.5 + 3,600 × 25 + 1,000 × 400
          cost_microcents: 601_250,
        },
      },
      {
        what: "a drawn image, by the tool's default model",
        model: "gpt-5-mini",
        answer: countedResponse(
          "gpt-5-mini-2025-08-07",
          { input: 1000, output: 100 },
          {
            tools: [{ id: "ig_1", type: "image_generation_call", status: "completed", result: "iVBOR" }],
            more: { tool_usage: { image_gen: image(50, 1056) }, tools: [{ type: "image_generation" }] },
          },
        ),
        bill: {
          ...priced,
          usage: { input: 1000, output: 100 },
          input_tokens: 1050,
          output_tokens: 1156,
          cost_microcents: 323_800, // 1,000 × 2.5 + 100 × 20 + 50 × 50 + 1,056 × 300
        },
      },
      {
        what: "a drawn image whose prompt may have been cached: how much of it is not reported",
        model: "gpt-5-mini",
        answer: countedResponse(
          "gpt-5-mini-2025-08-07",
          { input: 1000, output: 100 },
          {
            tools: [{ id: "ig_1", type: "image_generation_call", status: "completed", result: "iVBOR" }],
            more: {
              tool_usage: { image_gen: image(1024, 1056) },
              tools: [{ type: "image_generation", model: "gpt-image-2" }],
            },
          },
        ),
        bill: {
          ...priced,
          cost_basis: "estimated",
          usage: { input: 1000, output: 100 },
          input_tokens: 2024,
          output_tokens: 1156,
          cost_microcents: 372_500, // 1,000 × 2.5 + 100 × 20 + 1,024 × 50 + 1,056 × 300
        },
      },
      {
        what: "drawn images whose tokens are not reported, by their quality; one that failed is free",
        model: "gpt-5-mini",
        answer: countedResponse(
          "gpt-5-mini-2025-08-07",
          { input: 1000, output: 100 },
          {
            tools: ["completed", "completed", "failed"].map((status, at) => ({
              id: `ig_${at}`,
              type: "image_generation_call",
              status,
              quality: at === 0 ? "low" : "high",
            })),
            more: {
              tool_usage: { image_gen: image(0, 0), web_search: { num_requests: 0 } },
              tools: [{ type: "image_generation", model: "gpt-image-2" }],
            },
          },
        ),
        bill: {
          ...priced,
          cost_basis: "estimated",
          usage: { input: 1000, output: 100 },
          input_tokens: 1000,
          output_tokens: 4532,
          cost_microcents: 1_334_100, // 1,000 × 2.5 + 100 × 20 + (272 + 4,160) × 300
        },
      },
      {
        what: "an SVG, whose author is another model than that of the image which it sees",
        model: "gpt-5-mini",
        answer: countedResponse(
          "gpt-5-mini-2025-08-07",
          { input: 1000, output: 100 },
          {
            tools: [
              {
                id: "ig_1",
                type: "image_generation_call",
                status: "completed",
                output_format: "svg",
                result: "PHN2Zz4=",
                svg_usage: {
                  model: "gpt-6.1-terra",
                  input_tokens: 1500,
                  output_tokens: 4000,
                  reasoning_tokens: 3000,
                  total_tokens: 5500,
                },
              },
            ],
            more: {
              tool_usage: { image_gen: image(50, 1056) },
              tools: [{ type: "image_generation", model: "gpt-image-2.6-flare", output_format: "svg" }],
            },
          },
        ),
        bill: {
          ...priced,
          cost_basis: "estimated",
          usage: { input: 1000, output: 100 },
          input_tokens: 2550,
          output_tokens: 5156,
          // 1,000 × 2.5 + 100 × 20, then 50 × 50 + 1,056 × 300, then 1,500 × 10 + 4,000 × 50
          cost_microcents: 538_800,
        },
      },
      {
        what: "searches of the preview tool, dearer on a model that does not reason",
        model: "gpt-4.1",
        answer: countedResponse(
          "gpt-4.1-2025-04-14",
          { input: 339, output: 645 },
          { tools: [webSearch(1, "search")], more: { tools: [{ type: "web_search_preview" }] } },
        ),
        bill: {
          ...priced,
          usage: { input: 339, output: 645, web_searches: 1 },
          input_tokens: 339,
          output_tokens: 645,
          cost_microcents: 308_380, // 339 × 20 + 645 × 80 + 250,000
        },
      },
      {
        what: "searches of the preview tool on a model that reasons",
        model: "gpt-5-mini",
        answer: countedResponse(
          "gpt-5-mini-2025-08-07",
          { input: 100, output: 10 },
          { tools: [webSearch(1, "search")], more: { tools: [{ type: "web_search_preview_2025_03_11" }] } },
        ),
        bill: {
          ...priced,
          usage: { input: 100, output: 10, web_searches: 1 },
          input_tokens: 100,
          output_tokens: 10,
          cost_microcents: 100_450, // 100 × 2.5 + 10 × 20 + 100,000
        },
      },
      {
        what: "as many searches as reported: a failed one is an item, but free",
        model: "gpt-5-mini",
        answer: countedResponse(
          "gpt-5-mini-2025-08-07",
          { input: 100, output: 10 },
          {
            tools: [webSearch(1, "search"), { ...webSearch(2, "search"), status: "failed" }],
            more: { tool_usage: { image_gen: image(0, 0), web_search: { num_requests: 1 } } },
          },
        ),
        bill: {
          ...priced,
          usage: { input: 100, output: 10, web_searches: 1 },
          input_tokens: 100,
          output_tokens: 10,
          cost_microcents: 100_450, // 100 × 2.5 + 10 × 20 + 100,000
        },
      },
    ],
  );
});
