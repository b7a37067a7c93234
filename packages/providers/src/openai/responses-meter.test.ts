import { describe, expect, it } from "bun:test";
import type { Meter } from "../meter.ts";
import { xai } from "../xai/provider.ts";
import { openai } from "./provider.ts";

describe("responses meter", () => {
  it("GW-021 reads usage and the actual service tier from the terminal frame", () => {
    const meter = openai.native["openai-responses"]?.meter();
    const response = {
      id: "resp_1",
      model: "gpt-5-2025-08-07",
      service_tier: "auto",
      usage: null,
      output: [],
    };
    meter?.readFrame({ type: "response.created", sequence_number: 0, response });
    meter?.readFrame({ type: "response.output_text.delta", delta: "hé" });
    meter?.readFrame({ type: "response.function_call_arguments.delta", delta: "{}" });
    meter?.readFrame({ type: "response.audio.delta", delta: "AAAA" });
    expect(meter?.reading()).toMatchObject({ usage: null, outputBytes: 6, audioTokens: 1 });
    meter?.readFrame({
      type: "response.incomplete",
      response: { ...response, service_tier: "flex", usage: { input_tokens: 3, output_tokens: 2 } },
    });
    expect(meter?.reading()).toMatchObject({
      servedModel: "gpt-5-2025-08-07",
      responseId: "resp_1",
      served: { serviceTier: "flex" },
      usage: { input: 3, output: 2 },
    });
  });

  it("ignores everything after the last event: the bill does not depend on packet boundaries", () => {
    const meter = openai.native["openai-responses"]?.meter();
    const end = (input_tokens: number) => ({
      type: "response.completed",
      response: { id: `resp_${input_tokens}`, model: "gpt-5", usage: { input_tokens, output_tokens: 2 } },
    });
    meter?.readFrame(end(3));
    meter?.readFrame({ type: "response.output_text.delta", delta: "abc" });
    meter?.readFrame(end(900));
    expect(meter?.reading()).toMatchObject({ usage: { input: 3 }, responseId: "resp_3", outputBytes: 0 });
  });

  it("MON-008 reports how many iterations an answer sums up, if it does not report the largest", () => {
    const read = (provider: typeof openai, usage: object, ...types: string[]) => {
      const meter = provider.native["openai-responses"]?.meter();
      const output = types.map(type => ({ type }));
      meter?.readAnswer({ output, usage: { input_tokens: 10, output_tokens: 2, ...usage } });
      const { iterations, largestPrompt } = meter?.reading() ?? {};
      return { iterations: iterations?.count, largestPrompt };
    };
    const reported = { context_details: { input_tokens: 6 } };
    expect(read(openai, {}, "message")).toEqual({ iterations: undefined, largestPrompt: undefined });
    expect(read(openai, {}, "function_call")).toEqual({ iterations: undefined, largestPrompt: undefined });
    expect(read(openai, {}, "reasoning", "web_search_call", "mcp_call", "message").iterations).toBe(3);
    expect(read(xai, reported, "x_search_call", "message")).toEqual({ iterations: 2, largestPrompt: 6 });
  });

  const direct = { caller: { type: "direct" } };
  const byProgram = { caller: { type: "program", caller_id: "call_p" } };
  const message = { type: "message" };
  const program = { type: "program", call_id: "call_p", code: "text(1)" };
  const programOutput = { type: "program_output", call_id: "call_p", result: "x".repeat(400) };
  const mcpByProgram = { type: "mcp_call", output: "x".repeat(4000), ...byProgram };
  const clientsByProgram = { type: "function_call", call_id: "call_f", arguments: "{}", ...byProgram };
  const shell = (type: string) => ({
    type: "shell_call",
    call_id: "call_s",
    environment: { type },
    ...direct,
  });
  const shellOutput = { type: "shell_call_output", call_id: "call_s", output: "x".repeat(800) };
  const toolSearch = (execution: string) => ({ type: "tool_search_call", call_id: null, execution });
  const toolsFound = { type: "tool_search_output", call_id: null, execution: "server", tools: [] };

  it.each<[string, object[], number[]]>([
    ["a shell of the provider's", [shell("container_reference"), shellOutput, message], [200]],
    ["one of unknown place whose result is here", [{ ...shell(""), environment: null }, shellOutput], [200]],
    ["a shell that has not ended", [shell("container_reference")], [1000]],
    ["a shell of the client's", [shell("local")], []],
    ["the result of an earlier answer's call", [shellOutput, message], []],
    ["a search for tools", [toolSearch("server"), toolsFound, message], [1000]],
    ["a search for tools among the client's", [toolSearch("client")], []],
    ["a program", [program, programOutput, message], [100]],
    ["a program that has not ended", [program], [1000]],
    ["a program and what it calls", [program, mcpByProgram, mcpByProgram, programOutput, message], [100]],
    ["a program that waits for the client", [program, mcpByProgram, clientsByProgram], []],
    ["a program of an earlier answer", [programOutput, message], []],
    ["its next call", [clientsByProgram], []],
    ["a shell in a loop", [shell("container_reference"), shellOutput, program, programOutput], [200, 300]],
  ])("MON-008 MON-018 counts the iterations after %s", (_, output, expected) => {
    const read = (feed: (meter: Meter) => void) => {
      const meter = openai.native["openai-responses"]?.meter();
      if (meter) feed(meter);
      return meter?.reading();
    };
    const { iterations } =
      read(meter => {
        meter.readAnswer({ output, usage: { input_tokens: 10, output_tokens: 2 } });
      }) ?? {};
    expect([iterations?.count ?? 1, iterations?.resultTokens ?? 0]).toEqual([
      expected.length + 1,
      expected.at(-1) ?? 0,
    ]);
    const cut = read(meter => {
      for (const [output_index, item] of output.entries())
        for (const type of ["added", "done"])
          meter.readFrame({ type: `response.output_item.${type}`, output_index, item });
    });
    expect([...(cut?.toolResultTokens ?? [])]).toEqual(expected);
  });

  it("MON-010 calls that a program has made are not the output of a model, in a stream either", () => {
    const usage = { input_tokens: 0, output_tokens: 0 };
    const whole = openai.native["openai-responses"]?.meter();
    whole?.readAnswer({ output: [clientsByProgram], usage });
    expect(whole?.reading()).toMatchObject({ usage: {}, outputBytes: 0 });
    const written = openai.native["openai-responses"]?.meter();
    written?.readAnswer({ output: [program, clientsByProgram], usage });
    expect(written?.reading().outputBytes).toBe(7);

    const streamed = openai.native["openai-responses"]?.meter();
    for (const [output_index, call] of [clientsByProgram, { ...clientsByProgram, ...direct }].entries()) {
      const item = { ...call, arguments: "" };
      streamed?.readFrame({ type: "response.output_item.added", output_index, item });
      const type = "response.function_call_arguments.delta";
      streamed?.readFrame({ type, output_index, delta: "{}" });
    }
    expect(streamed?.reading().outputBytes).toBe(2);
  });

  it("reads the tool calls of a cut stream, and the search tool that prices them", () => {
    const cutAfter = (provider: typeof openai, ...types: string[]) => {
      const meter = provider.native["openai-responses"]?.meter();
      const tools = [{ type: "web_search_preview" }];
      meter?.readFrame({ type: "response.created", response: { model: "gpt-4.1", tools, usage: null } });
      for (const type of types) meter?.readFrame({ type: "response.output_item.done", item: { type } });
      const { partial, served } = meter?.reading() ?? {};
      return { partial, searchTool: served?.searchTool };
    };
    expect(cutAfter(openai, "web_search_call", "function_call")).toEqual({
      partial: { web_searches: 1 },
      searchTool: "web_search_preview",
    });
    expect(cutAfter(openai, "message")).toEqual({ partial: undefined, searchTool: null });
    expect(cutAfter(xai, "x_search_call", "code_interpreter_call").partial).toEqual({ web_searches: 2 });
  });

  it("MON-007 uses of tools that are no counts leave the bill uncertain", () => {
    const read = (tool_usage: object) => {
      const meter = openai.native["openai-responses"]?.meter();
      meter?.readAnswer({ model: "gpt-5", usage: { input_tokens: 9, output_tokens: 1 }, tool_usage });
      return meter?.reading().isBillUncertain;
    };
    expect(read({ web_search: { num_requests: "2" } })).toBe(true);
    expect(read({ image_gen: { input_tokens: 50, output_tokens: -1 } })).toBe(true);
    expect(read({ image_gen: { input_tokens: 50, output_tokens: 1056 }, web_search: null })).toBeUndefined();
    const cached = { input_tokens: 50, output_tokens: 1056, cached_tokens: 40 };
    const split = { cached_text_tokens: 10, cached_image_tokens: 30 };
    expect(read({ image_gen: cached })).toBe(true);
    expect(read({ image_gen: { ...cached, cached_tokens_details: split } })).toBeUndefined();
  });

  it("MON-010 counts the searches of a whole answer without usage, and keeps a total that it has", () => {
    const output = [1, 2].map(() => ({ type: "web_search_call", action: { type: "search" } }));
    const read = (usage: object | null) => {
      const meter = openai.native["openai-responses"]?.meter();
      meter?.readAnswer({ model: "gpt-5", output, usage });
      return meter?.reading();
    };
    expect(read(null)).toMatchObject({ partial: { web_searches: 2 }, toolResultTokens: [8000, 16_000] });
    const reading = read({ input_tokens: 20_000 });
    expect(reading).toMatchObject({ usage: null, partial: { input: 20_000, web_searches: 2 } });
    expect(reading?.toolResultTokens).toBeUndefined();
  });

  it("MON-007 counts no search that failed, whole or cut, if the answer does not report how many are billed", () => {
    const output = ["failed", "completed", "failed"].flatMap(status => [
      { type: "web_search_call", status, action: { type: "search" } },
      { type: "file_search_call", status, queries: ["a"], results: null },
    ]);
    const whole = openai.native["openai-responses"]?.meter();
    whole?.readAnswer({ model: "gpt-5", output, usage: { input_tokens: 10, output_tokens: 5 } });
    expect(whole?.reading().usage).toEqual({ input: 10, output: 5, web_searches: 1, file_searches: 1 });
    const cut = openai.native["openai-responses"]?.meter();
    for (const [output_index, item] of output.entries()) {
      const { status: _, ...begun } = item;
      cut?.readFrame({ type: "response.output_item.added", output_index, item: begun });
      cut?.readFrame({ type: "response.output_item.done", output_index, item });
    }
    expect(cut?.reading().partial).toEqual({ web_searches: 1, file_searches: 1 });
  });

  it("MON-018 counts the images of a cut stream, at the model that draws them, until their tokens are reported", () => {
    const meter = openai.native["openai-responses"]?.meter();
    const tool = { type: "image_generation", model: "gpt-image-2", quality: "low" };
    const response = { model: "gpt-5", usage: null, tools: [tool] };
    const item = (output_index: number, more: object) => ({
      type: "response.output_item.added",
      output_index,
      item: { type: "image_generation_call", ...more },
    });
    meter?.readFrame({ type: "response.created", response });
    expect(meter?.reading().additional).toEqual([]);
    meter?.readFrame(item(0, { status: "in_progress" }));
    expect(meter?.reading().additional).toEqual([{ model: "gpt-image-2", usage: { output_image: 272 } }]);
    meter?.readFrame({ ...item(0, { quality: "high" }), type: "response.output_item.done" });
    meter?.readFrame(item(1, { quality: "medium" }));
    expect(meter?.reading().additional).toEqual([{ model: "gpt-image-2", usage: { output_image: 5216 } }]);
    meter?.readFrame({
      type: "response.completed",
      response: {
        ...response,
        usage: { input_tokens: 1, output_tokens: 1 },
        tool_usage: { image_gen: { input_tokens: 0, output_tokens: 400 } },
      },
    });
    expect(meter?.reading().additional).toEqual([{ model: "gpt-image-2", usage: { output_image: 400 } }]);
  });

  it("MON-018 counts the results of tools that a cut stream has started, seen or not, for each following iteration", () => {
    const meter = openai.native["openai-responses"]?.meter();
    const show = (type: string, output_index: number, item: object) =>
      meter?.readFrame({ type: `response.output_item.${type}`, output_index, item });
    show("added", 0, { type: "web_search_call", id: "ws_1" });
    show("done", 0, { type: "web_search_call", id: "ws_1", action: { type: "search" } });
    show("added", 1, { type: "function_call" });
    show("done", 2, { type: "mcp_call", output: "x".repeat(4000) });
    show("done", 3, { type: "file_search_call", results: [{ text: "x".repeat(396) }] }); // and its name, text
    show("done", 4, { type: "code_interpreter_call", outputs: null });
    show("added", 5, { type: "file_search_call", results: null });
    expect(meter?.reading()).toMatchObject({
      usage: null,
      partial: { web_searches: 1, file_searches: 2 },
      toolResultTokens: [8000, 9000, 9100, 10_100, 26_100],
    });
    meter?.readFrame({
      type: "response.completed",
      response: { usage: { input_tokens: 9, output_tokens: 1 }, output: [] },
    });
    expect(meter?.reading()).not.toHaveProperty("toolResultTokens");
  });

  it("GW-021 reads xAI's billed amount from a whole answer", () => {
    const meter = xai.native["openai-responses"]?.meter();
    meter?.readAnswer({
      id: "r",
      model: "grok-4.3",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
        { type: "message", content: [{ type: "output_text", text: "four" }] },
      ],
      usage: { input_tokens: 340, output_tokens: 105, cost_in_usd_ticks: 2_500_000 },
    });
    expect(meter?.reading().reportedCost as number | null | undefined).toBe(2500);
    expect(meter?.reading().outputBytes).toBe(6);
  });
});
