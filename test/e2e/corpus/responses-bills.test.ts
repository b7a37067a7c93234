/** Hand-computed bills: tokens × cents per million ÷ 10. Here the output includes reasoning at both providers. */
import { describe } from "bun:test";
import { checkBills } from "./check-bills.ts";
import { countedResponse, priced, webSearch } from "./counted-response.ts";

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
        answer: countedResponse("gpt-5.4-2026-03-05", {
          input: 1234,
          cached: 1024,
          output: 500,
          reasoning: 384,
        }),
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
        answer: countedResponse("gpt-5.6-sol", { input: 2345, cached: 512, written: 1800, output: 41 }),
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
        answer: countedResponse("gpt-5.6-sol", {
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
        answer: countedResponse("gpt-5.4-2026-03-05", { input: 272_001, cached: 100_000, output: 50 }),
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
        answer: countedResponse("gpt-5.4-2026-03-05", { input: 1000, output: 100 }, { service_tier: "flex" }),
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
        answer: countedResponse(
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
        answer: countedResponse("grok-4.3", counts),
        bill: { ...counted, cost_microcents: 5_825 }, // 240 × 12.5 + 100 × 2 + 105 × 25
      },
      {
        what: "without a stated bill: searches by the piece",
        model: "grok-4.3",
        answer: countedResponse("grok-4.3", counts, {
          tools: [webSearch(1, "search"), webSearch(2, "search")],
        }),
        bill: {
          ...counted,
          usage: { ...counted.usage, web_searches: 2 },
          cost_microcents: 105_825, // 5,825 + 2 × 50,000
        },
      },
      ...["x_search_call", "code_interpreter_call"].map(type => ({
        what: `without a stated bill: a ${type} costs what a search costs`,
        model: "grok-4.3",
        answer: countedResponse("grok-4.3", counts, { tools: [{ id: "1", type, status: "completed" }] }),
        bill: { ...counted, usage: { ...counted.usage, web_searches: 1 }, cost_microcents: 55_825 }, // 5,825 + 50,000
      })),
      {
        what: "without a stated bill: its own tally of tools before the items",
        model: "grok-4.3",
        answer: countedResponse(
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
        answer: countedResponse("grok-4.3", { ...counts, ticks: 5_301_000 }),
        bill: { ...counted, cost_basis: "reported", cost_microcents: 5_301 }, // 5,301,000 ÷ 1,000
      },
    ],
  );
});
