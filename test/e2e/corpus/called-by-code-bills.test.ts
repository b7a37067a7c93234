/**
 * Bills of answers that no model has written: code that the provider runs went on with the results of its last call, and
 * made another one. Their usage is zero.
 */
import { describe } from "bun:test";
import { anthropicAnswer } from "./anthropic-answer.ts";
import { checkBills } from "./check-bills.ts";
import { responsesAnswer } from "./responses-answer.ts";

const nothing = {
  usage_source: "provider",
  cost_basis: "priced",
  usage: {},
  input_tokens: 0,
  output_tokens: 0,
  cost_microcents: 0,
} as const;

describe("MON-016 MON-005 MON-010 anthropic's bill for a call that executed code has made", () => {
  const model = "claude-sonnet-4-5-20250929";
  const caller = { type: "code_execution_20250825", tool_id: "srvtoolu_01Corpus" };
  const call = {
    type: "tool_use",
    id: "toolu_01Corpus",
    name: "lookup",
    input: { id: "customer_1" },
    caller,
  };
  const ran = {
    type: "code_execution_tool_result",
    tool_use_id: "srvtoolu_00Corpus",
    content: { type: "code_execution_result", stdout: "1 of 2", stderr: "", return_code: 0, content: [] },
  };
  const counts = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, service_tier: "standard" };
  const server_tool_use = { web_search_requests: 0, web_fetch_requests: 0 };
  checkBills(
    ["/v1/messages"],
    [
      {
        what: "nothing",
        model: "claude-sonnet-4-5",
        answer: anthropicAnswer({
          model,
          usage: { ...counts, server_tool_use, input_tokens: 0, output_tokens: 0 },
          written: { content: [ran, call], stopReason: "tool_use" },
          isWholeAtStart: true,
        }),
        bill: { ...nothing, service_tier: "standard" },
      },
      {
        what: "the usage of the start, if that is the whole message",
        model: "claude-sonnet-4-5",
        answer: anthropicAnswer({
          model,
          usage: { ...counts, input_tokens: 100, output_tokens: 40 },
          isWholeAtStart: true,
        }),
        bill: {
          ...nothing,
          usage: { input: 100, output: 40 },
          input_tokens: 100,
          output_tokens: 40,
          service_tier: "standard",
          cost_microcents: 9000, // 100 × 30 + 40 × 150
        },
      },
    ],
  );
});

describe("MON-016 MON-005 MON-010 openai's bill for calls that a program has made", () => {
  const model = "gpt-5.6-sol";
  const call = (call_id: string) => ({
    type: "function_call",
    status: "in_progress",
    call_id,
    name: "getDemand",
    arguments: '{"sku":"sku_123"}',
    caller: { type: "program", caller_id: "call_p" },
  });
  const usage = {
    input_tokens: 0,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 0,
  };
  checkBills(
    ["/v1/responses"],
    [
      {
        what: "nothing",
        model,
        answer: responsesAnswer({ model, usage, calls: [call("call_1"), call("call_2")] }),
        bill: { ...nothing, service_tier: "default" },
      },
    ],
  );
});
