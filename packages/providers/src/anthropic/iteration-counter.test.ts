import { describe, expect, it } from "bun:test";
import { AnthropicMeter } from "./meter.ts";

function readAnswer(usage: unknown, more: object = {}) {
  const meter = new AnthropicMeter();
  meter.readAnswer({ id: "msg_1", model: "claude-opus-4-8", content: [], usage, ...more });
  return meter.reading();
}

describe("AnthropicMeter, an answer of several iterations", () => {
  const text = { type: "text", text: "x" };
  const call = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", caller: { type: "direct" } };
  const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
  const earlier = { type: "code_execution_tool_result", tool_use_id: "srvtoolu_0", content: {} };
  const byCode = { caller: { type: "code_execution_20260120", tool_id: "srvtoolu_1" } };
  const usage = { input_tokens: 100, output_tokens: 4 };

  it.each<[string, object[], number | undefined]>([
    ["no tool", [text, text], undefined],
    ["a tool of the client", [text, { type: "tool_use", name: "f" }], undefined],
    ["one search", [call, result, text], 2],
    ["one after the other", [text, call, result, call, result, text], 3],
    ["two at once", [call, call, result, result, text], 2],
    ["a pause before the result was read", [text, call, result], undefined],
    ["the result of a use in an earlier message", [earlier, text], undefined],
    ["one search after such a result", [earlier, text, call, result, text], 2],
    [
      "executed code that searches",
      [
        { ...call, name: "code_execution" },
        { ...call, ...byCode },
        { ...result, ...byCode },
        { ...call, ...byCode },
        { ...result, ...byCode },
        { type: "code_execution_tool_result", tool_use_id: "srvtoolu_1" },
        text,
      ],
      2,
    ],
  ])("MON-008 counts its iterations: %s", (_, content, count) => {
    const read = count === undefined ? undefined : { count, firstInput: null, resultTokens: 0 };
    expect(readAnswer(usage, { content }).iterations).toEqual(read as never);
  });

  it("falls back to the count of searches, and counts nothing if each iteration was reported", () => {
    const searched = { ...usage, server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 } };
    expect(readAnswer(searched).iterations).toEqual({ count: 4, firstInput: null, resultTokens: 24_000 });
    const iterations = [{ type: "message", input_tokens: 40, output_tokens: 2 }];
    expect(readAnswer({ ...searched, iterations }).iterations).toBeUndefined();
  });

  it("MON-008 does not count searches of executed code that began in an earlier message", () => {
    const content = [{ ...call, ...byCode }, { ...result, ...byCode }, earlier, text];
    const searched = { ...usage, server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } };
    expect(readAnswer(searched, { content }).iterations).toBeUndefined();
  });

  it("knows the first iteration's input from the start of a stream, cached or not", () => {
    const meter = new AnthropicMeter();
    const start = { input_tokens: 20, cache_read_input_tokens: 30, output_tokens: 1 };
    meter.readFrame({ type: "message_start", message: { usage: start } });
    for (const block of [call, result, text]) {
      meter.readFrame({ type: "content_block_start", content_block: block });
    }
    meter.readFrame({ type: "message_delta", delta: {}, usage: { input_tokens: 900, output_tokens: 4 } });
    expect(meter.reading().iterations).toEqual({ count: 2, firstInput: 50, resultTokens: 0 });
  });
});

describe("AnthropicMeter, a tool loop that was cut off", () => {
  const text = { type: "text", text: "x" };
  const use = (name: string) => ({ type: "server_tool_use", id: name, name });
  const fetched = (bytes: number) => ({
    type: "web_fetch_tool_result",
    tool_use_id: "web_fetch",
    content: "x".repeat(bytes),
  });
  const found = { type: "web_search_tool_result", tool_use_id: "web_search", content: ["x".repeat(400)] };
  const byCode = { caller: { type: "code_execution_20260120", tool_id: "srvtoolu_1" } };

  const cutAfter = (...blocks: object[]) => {
    const meter = new AnthropicMeter();
    const usage = { input_tokens: 500, output_tokens: 1 };
    meter.readFrame({ type: "message_start", message: { usage } });
    for (const content_block of blocks) meter.readFrame({ type: "content_block_start", content_block });
    return meter;
  };

  it.each<[string, object[], number[] | undefined]>([
    ["no tool", [text], undefined],
    ["a tool of the client", [text, { type: "tool_use", name: "f" }], undefined],
    ["a page", [use("web_fetch"), fetched(4000), text], [1000]],
    ["two pages in sequence", [use("web_fetch"), fetched(4000), text, fetched(400), text], [1000, 1100]],
    ["two at once", [use("web_fetch"), use("web_search"), fetched(4000), found, text], [1100]],
    ["a result that nothing follows yet", [use("web_search"), found], [100]],
    ["the result of a use in an earlier message", [found, text], undefined],
    ["a search whose result has not come", [use("web_search")], [8000]],
    [
      "code execution after a page",
      [use("web_fetch"), fetched(4000), use("bash_code_execution")],
      [1000, 2000],
    ],
    [
      "searches from executed code: the model does not read their results",
      [use("code_execution"), { ...use("web_search"), ...byCode }, { ...found, ...byCode }],
      [1000],
    ],
  ])("MON-018 counts the results that each later iteration read: %s", (_, blocks, expected) => {
    const { partial, toolResultTokens } = cutAfter(...blocks).reading();
    expect(partial?.input).toBe(500);
    expect(toolResultTokens as number[] | undefined).toEqual(expected);
  });

  it("counts a document sent as text or as base64, in any field", () => {
    const document = { type: "document", source: { type: "text", data: "x".repeat(300_000) } };
    const content = { type: "web_fetch_result", url: "https://example.com", content: document };
    const { toolResultTokens } = cutAfter(use("web_fetch"), {
      ...fetched(0),
      content,
    }).reading();
    expect(toolResultTokens?.[0]).toBeWithin(75_000, 75_100);
  });

  it("uses the provider's own sum once it was reported", () => {
    const meter = cutAfter(use("web_fetch"), fetched(4000), text);
    const before = meter.reading();
    meter.readFrame({ type: "message_delta", delta: {}, usage: { input_tokens: 2100, output_tokens: 4 } });
    expect(meter.reading()).not.toHaveProperty("toolResultTokens");
    expect(before.toolResultTokens).toEqual([1000]);
    const untold = cutAfter(use("web_fetch"), fetched(4000), text);
    untold.readFrame({ type: "message_delta", delta: {}, usage: { input_tokens: 2100 } });
    expect(untold.reading()).toMatchObject({ usage: null, partial: { input: 2100 } });
    expect(untold.reading()).not.toHaveProperty("toolResultTokens");
  });
});
