/**
 * Hand-computed bills, tokens × cents per million ÷ 10, for answers of several model iterations: a server tool ran, and
 * everything was read again. Long-context rates depend on a single iteration, not on the sum.
 */
import { describe } from "bun:test";
import { anthropicAnswer } from "./anthropic-answer.ts";
import { checkBills } from "./check-bills.ts";
import { responsesAnswer } from "./responses-answer.ts";

const priced = { usage_source: "provider", cost_basis: "priced" } as const;

const looped = (model: string, rounds: number, input: number, output: number, first: number, searches = 0) =>
  anthropicAnswer({
    model,
    rounds,
    usage: {
      input_tokens: input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: output,
      server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
      service_tier: "standard",
    },
    atStart: { input_tokens: first },
  });

const earlierResult = {
  type: "code_execution_tool_result",
  tool_use_id: "srvtoolu_00Corpus",
  content: { type: "code_execution_result", stdout: "42", stderr: "", return_code: 0, content: [] },
};

const searched = (model: string, searches: number, input: number, output: number, first: number) =>
  looped(model, searches, input, output, first, searches);

const counted = (input: number, output: number, searches: number) => ({
  ...priced,
  usage: { input, output, web_searches: searches },
  input_tokens: input,
  output_tokens: output,
});

describe("MON-016 MON-008 anthropic's bill for iterations that are long only together", () => {
  const standard = { service_tier: "standard" } as const;
  checkBills(
    ["/v1/messages"],
    [
      {
        what: "ten searches, of a model whose window ends where long prompts begin",
        model: "claude-sonnet-4-5",
        answer: searched("claude-sonnet-4-5-20250929", 10, 404_500, 943, 2479),
        bill: { ...counted(404_500, 943, 10), ...standard, cost_microcents: 13_276_450 }, // 404,500 × 30 + 943 × 150 + 10 × 100,000
      },
      {
        what: "twelve runs of a tool that is counted nowhere",
        model: "claude-sonnet-4-5",
        answer: looped("claude-sonnet-4-5-20250929", 12, 950_648, 13_856, 2751),
        bill: {
          ...priced,
          ...standard,
          usage: { input: 950_648, output: 13_856 },
          input_tokens: 950_648,
          output_tokens: 13_856,
          cost_microcents: 30_597_840, // 950,648 × 30 + 13,856 × 150
        },
      },
      {
        what: "more in two iterations than its window can hold in one",
        model: "claude-sonnet-4-5",
        answer: searched("claude-sonnet-4-5-20250929", 1, 390_000, 10, 193_000),
        bill: { ...counted(390_000, 10, 1), ...standard, cost_microcents: 11_801_500 }, // 390,000 × 30 + 10 × 150 + 100,000
      },
      {
        what: "ten searches, of a model with a window of a million: eleven iterations of 37,000 on average",
        model: "claude-haiku-5-5",
        answer: searched("claude-haiku-5-5-20261007", 10, 404_500, 943, 2479),
        bill: { ...counted(404_500, 943, 10), ...standard, cost_microcents: 1_409_215 }, // 404,500 × 1 + 943 × 5 + 10 × 100,000
      },
      {
        what: "one search, and a prompt that was long by itself",
        model: "claude-haiku-5-5",
        answer: searched("claude-haiku-5-5-20261007", 1, 310_000, 10, 150_000),
        bill: { ...counted(310_000, 10, 1), ...standard, cost_microcents: 1_650_250 }, // 310,000 × 5 + 10 × 25 + 100,000
      },
      {
        what: "one iteration over the result of a tool use in an earlier message",
        model: "claude-haiku-5-5",
        answer: anthropicAnswer({
          model: "claude-haiku-5-5-20261007",
          written: { content: [earlierResult, { type: "text", text: "Done." }], stopReason: "end_turn" },
          usage: { input_tokens: 150_000, output_tokens: 100, service_tier: "standard" },
        }),
        bill: {
          ...priced,
          ...standard,
          usage: { input: 150_000, output: 100 },
          input_tokens: 150_000,
          output_tokens: 100,
          cost_microcents: 752_500, // 150,000 × 5 + 100 × 25
        },
      },
    ],
  );
});

describe("MON-016 MON-008 the bill of responses for iterations that are long only together", () => {
  const search = (id: number) => ({
    id: `ws_${id}`,
    type: "web_search_call",
    status: "completed",
    action: { type: "search" },
  });
  const shell = [
    { type: "shell_call", call_id: "call_s", environment: { type: "container_reference" } },
    { type: "shell_call_output", call_id: "call_s", output: [{ stdout: "x".repeat(4000), stderr: "" }] },
  ];
  const toolSearch = [
    { type: "tool_search_call", call_id: null, execution: "server", arguments: { paths: ["weather"] } },
    { type: "tool_search_output", call_id: null, execution: "server", tools: [] },
  ];
  const mcp = { type: "mcp_call", caller: { type: "program", caller_id: "call_p" }, output: "{}" };
  const program = (...calls: object[]) => [
    { type: "program", call_id: "call_p", code: "text(1)", fingerprint: "f" },
    ...calls,
    { type: "program_output", call_id: "call_p", result: "1", status: "completed" },
  ];
  const used = (model: string, tools: readonly object[], input_tokens: number, output_tokens: number) =>
    responsesAnswer({ model, tools, usage: { input_tokens, output_tokens } });
  const asks = { input: "x".repeat(700_000) }; // about 175,000 tokens
  const read = (input: number, output: number) => ({
    ...priced,
    usage: { input, output },
    input_tokens: input,
    output_tokens: output,
  });
  const answer = (model: string, searches: number, input: number, output: number, usage: object = {}) =>
    responsesAnswer({
      model,
      tools: Array.from({ length: searches }, (_, id) => search(id)),
      usage: { input_tokens: input, output_tokens: output, total_tokens: input + output, ...usage },
    });
  const standard = { service_tier: "default" } as const;
  checkBills(
    ["/v1/responses"],
    [
      {
        what: "a shell, between two iterations of 181,000",
        model: "gpt-5.4",
        asks,
        answer: used("gpt-5.4-2026-03-05", shell, 362_000, 120),
        bill: { ...read(362_000, 120), ...standard, cost_microcents: 9_068_000 }, // 362,000 × 25 + 120 × 150
      },
      {
        what: "a search for tools, between two iterations of 181,000",
        model: "gpt-5.4",
        asks,
        answer: used("gpt-5.4-2026-03-05", toolSearch, 362_000, 120),
        bill: { ...read(362_000, 120), ...standard, cost_microcents: 9_068_000 }, // 362,000 × 25 + 120 × 150
      },
      {
        what: "a program, between two iterations of 181,000",
        model: "gpt-5.6-sol",
        asks,
        answer: used("gpt-5.6-sol", program(), 362_000, 120),
        bill: { ...read(362_000, 120), ...standard, cost_microcents: 14_504_000 }, // 362,000 × 40 + 120 × 200
      },
      {
        what: "a program that made three calls: two iterations of 300,000, not five",
        model: "gpt-5.6-sol",
        answer: used("gpt-5.6-sol", program(mcp, mcp, mcp), 600_000, 100),
        bill: { ...read(600_000, 100), ...standard, cost_microcents: 48_030_000 }, // 600,000 × 80 + 100 × 300
      },
      {
        what: "nine searches: ten iterations of 60,000 on average",
        model: "gpt-5.4",
        answer: answer("gpt-5.4-2026-03-05", 9, 600_000, 100),
        bill: { ...counted(600_000, 100, 9), ...standard, cost_microcents: 15_915_000 }, // 600,000 × 25 + 100 × 150 + 9 × 100,000
      },
      {
        what: "one search: of two iterations the longer read at least half",
        model: "gpt-5.4",
        answer: answer("gpt-5.4-2026-03-05", 1, 1_000_000, 100),
        bill: { ...counted(1_000_000, 100, 1), ...standard, cost_microcents: 50_122_500 }, // 1,000,000 × 50 + 100 × 225 + 100,000
      },
      {
        what: "xai tells what the last iteration read",
        model: "grok-4.3",
        answer: answer("grok-4.3", 1, 300_000, 50, {
          context_details: { input_tokens: 151_000, output_tokens: 40 },
        }),
        bill: { ...counted(300_000, 50, 1), ...standard, cost_microcents: 3_801_250 }, // 300,000 × 12.5 + 50 × 25 + 50,000
      },
    ],
  );
});
