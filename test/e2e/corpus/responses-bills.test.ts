/** Hand-computed bills: tokens × cents per million ÷ 10. Here the output includes reasoning at both providers. */
import { describe } from "bun:test";
import { checkBills } from "./check-bills.ts";
import { type ResponsesAnswer, responsesAnswer } from "./responses-answer.ts";

const priced = { usage_source: "provider", cost_basis: "priced", service_tier: "default" } as const;

interface Counts {
  readonly input: number;
  readonly cached?: number;
  readonly written?: number;
  /** Of these, for 12 hours. */
  readonly writtenLong?: number;
  readonly output: number;
  readonly reasoning?: number;
  readonly ticks?: number;
  readonly tally?: object;
}

const answer = (model: string, counts: Counts, more: Partial<ResponsesAnswer> = {}) =>
  responsesAnswer({
    model,
    usage: {
      input_tokens: counts.input,
      input_tokens_details: {
        cached_tokens: counts.cached ?? 0,
        ...(counts.written !== undefined && { cache_write_tokens: counts.written }),
        ...(counts.writtenLong !== undefined && {
          cache_write_tokens_details: {
            ttl_30m_tokens: (counts.written ?? 0) - counts.writtenLong,
            ttl_12h_tokens: counts.writtenLong,
          },
        }),
      },
      output_tokens: counts.output,
      output_tokens_details: { reasoning_tokens: counts.reasoning ?? 0 },
      total_tokens: counts.input + counts.output,
      ...(counts.ticks !== undefined && { cost_in_usd_ticks: counts.ticks }),
      ...(counts.tally !== undefined && { server_side_tool_usage_details: counts.tally }),
    },
    ...more,
  });

const webSearch = (id: number, action: string) => ({
  id: `ws_${id}`,
  type: "web_search_call",
  status: "completed",
  action: { type: action },
});
const fileSearch = {
  id: "fs_1",
  type: "file_search_call",
  status: "completed",
  queries: ["a"],
  results: null,
};

describe("MON-016 MON-005 MON-006 MON-007 MON-008 openai's bill for responses", () => {
  checkBills(
    ["/v1/responses"],
    [
      {
        what: "cache reads, and reasoning included in the output",
        model: "gpt-5.4",
        answer: answer("gpt-5.4-2026-03-05", { input: 1234, cached: 1024, output: 500, reasoning: 384 }),
        bill: {
          ...priced,
          usage: { input: 210, cache_read: 1024, output: 116, reasoning: 384 },
          input_tokens: 1234,
          output_tokens: 500,
          cost_microcents: 82_810, // 210 × 25 + 1,024 × 2.5 + 500 × 150
        },
      },
      {
        what: "cache writes at 1.25 × input",
        model: "gpt-5.6-sol",
        answer: answer("gpt-5.6-sol", { input: 2345, cached: 512, written: 1800, output: 41 }),
        bill: {
          ...priced,
          usage: { input: 33, cache_read: 512, cache_write: 1800, output: 41 },
          input_tokens: 2345,
          output_tokens: 41,
          cost_microcents: 101_568, // 33 × 40 + 512 × 4 + 1,800 × 50 + 41 × 200
        },
      },
      {
        what: "cache writes of 12 hours at 2.5 × input",
        model: "gpt-5.6-sol",
        answer: answer("gpt-5.6-sol", {
          input: 2345,
          cached: 512,
          written: 1800,
          writtenLong: 1500,
          output: 41,
        }),
        bill: {
          ...priced,
          usage: { input: 33, cache_read: 512, cache_write: 300, cache_write_1h: 1500, output: 41 },
          input_tokens: 2345,
          output_tokens: 41,
          cost_microcents: 176_568, // 33 × 40 + 512 × 4 + 300 × 50 + 1,500 × 100 + 41 × 200
        },
      },
      {
        what: "above 272K: all of it at the long-context rates",
        model: "gpt-5.4",
        answer: answer("gpt-5.4-2026-03-05", { input: 272_001, cached: 100_000, output: 50 }),
        bill: {
          ...priced,
          usage: { input: 172_001, cache_read: 100_000, output: 50 },
          input_tokens: 272_001,
          output_tokens: 50,
          cost_microcents: 9_111_300, // 172,001 × 50 + 100,000 × 5 + 50 × 225
        },
      },
      {
        what: "asked for as auto, served as flex, at half",
        model: "gpt-5.4",
        answer: answer("gpt-5.4-2026-03-05", { input: 1000, output: 100 }, { service_tier: "flex" }),
        bill: {
          ...priced,
          service_tier: "flex",
          usage: { input: 1000, output: 100 },
          input_tokens: 1000,
          output_tokens: 100,
          cost_microcents: 20_000, // 1,000 × 12.5 + 100 × 75
        },
      },
      {
        what: "searches by the piece; opening a page is none",
        model: "gpt-4.1",
        answer: answer(
          "gpt-4.1-2025-04-14",
          { input: 10, output: 5 },
          { tools: [webSearch(1, "search"), webSearch(2, "open_page"), webSearch(3, "search"), fileSearch] },
        ),
        bill: {
          ...priced,
          usage: { input: 10, output: 5, web_searches: 2, file_searches: 1 },
          input_tokens: 10,
          output_tokens: 5,
          cost_microcents: 225_600, // 10 × 20 + 5 × 80 + 2 × 100,000 + 25,000
        },
      },
    ],
  );
});

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
        answer: answer(
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
        answer: answer(
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
        answer: answer(
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
        answer: answer(
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
        what: "an SVG, whose author is another model than that of the image which it sees",
        model: "gpt-5-mini",
        answer: answer(
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
        answer: answer(
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
        answer: answer(
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
        answer: answer(
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

describe("MON-016 MON-005 MON-007 xai's bill for responses", () => {
  const counts = { input: 340, cached: 100, output: 105, reasoning: 83 };
  const counted = {
    ...priced,
    usage: { input: 240, cache_read: 100, output: 22, reasoning: 83 },
    input_tokens: 340,
    output_tokens: 105,
  };
  checkBills(
    ["/v1/responses"],
    [
      {
        what: "without a stated bill: the output includes reasoning here",
        model: "grok-4.3",
        answer: answer("grok-4.3", counts),
        bill: { ...counted, cost_microcents: 5_825 }, // 240 × 12.5 + 100 × 2 + 105 × 25
      },
      {
        what: "without a stated bill: searches by the piece",
        model: "grok-4.3",
        answer: answer("grok-4.3", counts, { tools: [webSearch(1, "search"), webSearch(2, "search")] }),
        bill: {
          ...counted,
          usage: { ...counted.usage, web_searches: 2 },
          cost_microcents: 105_825, // 5,825 + 2 × 50,000
        },
      },
      ...["x_search_call", "code_interpreter_call"].map(type => ({
        what: `without a stated bill: a ${type} costs what a search costs`,
        model: "grok-4.3",
        answer: answer("grok-4.3", counts, { tools: [{ id: "1", type, status: "completed" }] }),
        bill: { ...counted, usage: { ...counted.usage, web_searches: 1 }, cost_microcents: 55_825 }, // 5,825 + 50,000
      })),
      {
        what: "without a stated bill: its own tally of tools before the items",
        model: "grok-4.3",
        answer: answer(
          "grok-4.3",
          {
            ...counts,
            tally: {
              web_search_calls: 0,
              x_search_calls: 1,
              code_interpreter_calls: 0,
              file_search_calls: 2,
            },
          },
          { tools: [1, 2, 3, 4].map(id => webSearch(id, "search")) },
        ),
        bill: {
          ...counted,
          usage: { ...counted.usage, web_searches: 1, file_searches: 2 },
          cost_microcents: 105_825, // 5,825 + 50,000 + 2 × 25,000
        },
      },
      {
        what: "its stated bill",
        model: "grok-4.3",
        answer: answer("grok-4.3", { ...counts, ticks: 5_301_000 }),
        bill: { ...counted, cost_basis: "reported", cost_microcents: 5_301 }, // 5,301,000 ÷ 1,000
      },
    ],
  );
});
