import { describe, expect, it } from "bun:test";
import { TollgateError } from "@tollgate/core/errors";
import { openai } from "../../openai/provider.ts";
import { openaiChat } from "./dialect.ts";

const user = { role: "user", content: "hi" };
const userTurn = { role: "user", parts: [{ kind: "text", text: "hi" }] };
const base = { model: "claude-sonnet-5-5", messages: [user] };
const decode = (change: object) => openaiChat.decodeRequest({ ...base, ...change });

describe("GW-019 decoding a chat request", () => {
  const fields: [object, object][] = [
    [{}, {}],
    [{ stream: true }, { stream: true }],
    [{ max_tokens: 5 }, { maxOutputTokens: 5 }],
    [
      { temperature: 0, top_p: 0.5, top_k: 3 },
      { temperature: 0, topP: 0.5, topK: 3 },
    ],
    [
      { seed: 1, frequency_penalty: 0.1, presence_penalty: 0.2 },
      { seed: 1, frequencyPenalty: 0.1, presencePenalty: 0.2 },
    ],
    [{ stop: "x" }, { stop: ["x"] }],
    [{ stop: ["x", "y"] }, { stop: ["x", "y"] }],
    [{ stop: [] }, {}],
    [{ stop: null, temperature: null, tools: null, user: null }, {}],
    [{ reasoning_effort: "xhigh" }, { reasoning: { effort: "xhigh" } }],
    [{ response_format: { type: "text" } }, {}],
    [{ response_format: { type: "json_object" } }, { outputFormat: { kind: "json" } }],
    [
      {
        response_format: { type: "json_schema", json_schema: { name: "n", schema: { a: 1 }, strict: true } },
      },
      { outputFormat: { kind: "schema", name: "n", schema: { a: 1 }, strict: true } },
    ],
    [{ service_tier: "flex" }, { serviceTier: "flex" }],
    [{ user: "u" }, { user: "u" }],
    [{ user: "u", safety_identifier: "s" }, { user: "s" }],
    [{ n: 1, logprobs: false, modalities: ["text"], prediction: null }, {}],
    [{ modalities: ["image", "text"] }, { modalities: ["image", "text"] }],
    [{ parallel_tool_calls: false }, { parallelToolCalls: false }],
    [{ tool_choice: "required" }, { toolChoice: { mode: "required" } }],
    [
      { tool_choice: { type: "function", function: { name: "f" } } },
      { toolChoice: { mode: "tool", name: "f" } },
    ],
    [
      {
        tools: [
          {
            type: "function",
            function: { name: "f", description: "d", parameters: { type: "object" }, strict: true },
            cache_control: { type: "ephemeral" },
          },
        ],
      },
      {
        tools: [
          {
            name: "f",
            description: "d",
            parameters: { type: "object" },
            strict: true,
            cacheControl: { type: "ephemeral" },
          },
        ],
      },
    ],
    [
      {
        tools: ["f", "g"].map(name => ({ type: "function", function: { name } })),
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "g" } }] },
        },
      },
      { tools: [{ name: "g" }], toolChoice: { mode: "required" } },
    ],
  ];
  for (const [change, expected] of fields)
    it(JSON.stringify(change), () => {
      expect(decode(change)).toStrictEqual({
        model: "claude-sonnet-5-5",
        stream: false,
        turns: [userTurn],
        ...expected,
      } as never);
    });
});

describe("GW-019 decoding messages", () => {
  const turns = (...messages: object[]) => decode({ messages }).turns as unknown;

  it("system and developer, in any position", () => {
    expect(
      turns({ role: "system", content: "a" }, user, {
        role: "developer",
        content: [{ type: "text", text: "b" }],
      }),
    ).toEqual([
      { role: "system", parts: [{ kind: "text", text: "a" }] },
      userTurn,
      { role: "system", parts: [{ kind: "text", text: "b" }] },
    ]);
  });

  it("every kind of user part, with its cache breakpoint", () => {
    const content = [
      { type: "text", text: "t", cache_control: { type: "ephemeral" } },
      { type: "image_url", image_url: { url: "data:image/PNG;base64,AA==", detail: "high" } },
      { type: "image_url", image_url: { url: "https://e.example/a.jpg" } },
      { type: "input_audio", input_audio: { data: "BB==", format: "mp3" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,CC==" } },
    ];
    expect(turns({ role: "user", content })).toEqual([
      {
        role: "user",
        parts: [
          { kind: "text", text: "t", cacheControl: { type: "ephemeral" } },
          { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" }, detail: "high" },
          { kind: "image", source: { kind: "url", url: "https://e.example/a.jpg" } },
          { kind: "audio", format: "mp3", data: "BB==" },
          {
            kind: "file",
            mediaType: "application/pdf",
            filename: "a.pdf",
            source: { kind: "base64", data: "CC==" },
          },
        ],
      },
    ]);
  });

  it("a breakpoint on the message applies to its last part", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    expect(turns({ role: "user", content, cache_control: { ttl: "1h" } })).toEqual([
      {
        role: "user",
        parts: [
          { kind: "text", text: "a" },
          { kind: "text", text: "b", cacheControl: { ttl: "1h" } },
        ],
      },
    ]);
  });

  it("calls and results: adjacent ones are one turn, each with the name of its call", () => {
    const call = (id: string, name: string, args: unknown, extra = {}) => ({
      id,
      type: "function",
      function: { name, arguments: args },
      ...extra,
    });
    const signed = { extra_content: { google: { thought_signature: "sig" } } };
    expect(
      turns(
        {
          role: "assistant",
          content: null,
          tool_calls: [call("1", "f", '{"a":1}', signed), call("2", "g", "")],
        },
        { role: "tool", tool_call_id: "1", content: "r1" },
        { role: "tool", tool_call_id: "2", content: [{ type: "text", text: "r2" }] },
        { role: "tool", tool_call_id: "?", content: "r3" },
        user,
      ),
    ).toEqual([
      {
        role: "assistant",
        parts: [
          { kind: "tool_call", id: "1", name: "f", arguments: '{"a":1}', signature: "sig" },
          { kind: "tool_call", id: "2", name: "g", arguments: "{}" },
        ],
      },
      {
        role: "tool",
        results: [
          { callId: "1", name: "f", content: [{ kind: "text", text: "r1" }], isError: false },
          { callId: "2", name: "g", content: [{ kind: "text", text: "r2" }], isError: false },
          { callId: "?", name: undefined, content: [{ kind: "text", text: "r3" }], isError: false },
        ],
      },
      userTurn,
    ]);
  });

  it.each(['{"a":', "[1]", '"text"', "null"])("a call's arguments %s, not an object, are wrapped", text => {
    const call = { id: "1", type: "function", function: { name: "f", arguments: text } };
    const wrapped = JSON.stringify({ INVALID_JSON: text });
    expect(turns({ role: "assistant", content: null, tool_calls: [call] })).toEqual([
      { role: "assistant", parts: [{ kind: "tool_call", id: "1", name: "f", arguments: wrapped }] },
    ]);
  });

  const thinking: [string, object, unknown[]][] = [
    ["unsigned", { reasoning_content: "hm" }, [{ kind: "reasoning", text: "hm" }]],
    [
      "signed",
      { reasoning_content: "hm", extra_content: { anthropic: { signature: "s" } } },
      [{ kind: "reasoning", text: "hm", signature: "s" }],
    ],
    [
      "in blocks, which win over the text for display",
      {
        reasoning_content: "ab",
        extra_content: {
          anthropic: {
            thinking_blocks: [
              { type: "thinking", thinking: "a", signature: "s" },
              { type: "redacted_thinking", data: "x" },
              { type: "unknown" },
            ],
          },
        },
      },
      [
        { kind: "reasoning", text: "a", signature: "s" },
        { kind: "redacted_reasoning", data: "x" },
      ],
    ],
  ];
  for (const [name, fields, parts] of thinking)
    it(`an assistant's reasoning, ${name}`, () => {
      expect(turns({ role: "assistant", content: "t", ...fields })).toEqual([
        { role: "assistant", parts: [...parts, { kind: "text", text: "t" }] },
      ]);
    });

  it("the signature of an assistant's text, as a string or in parts", () => {
    const extra_content = { google: { thought_signature: "s" } };
    const text = (value: string) => ({ type: "text", text: value });
    const signed = { kind: "text", text: "a", signature: "s" };
    expect(turns({ role: "assistant", content: "a", extra_content })).toEqual([
      { role: "assistant", parts: [signed] },
    ] as unknown[]);
    expect(turns({ role: "assistant", content: [text("a"), text("b")], extra_content })).toEqual([
      { role: "assistant", parts: [signed, { kind: "text", text: "b" }] },
    ] as unknown[]);
  });

  it("a refusal, as a field or as a part", () => {
    expect(
      turns(
        { role: "assistant", content: null, refusal: "no" },
        { role: "assistant", content: [{ type: "refusal", refusal: "never" }] },
      ),
    ).toEqual([
      { role: "assistant", parts: [{ kind: "refusal", text: "no" }] },
      { role: "assistant", parts: [{ kind: "refusal", text: "never" }] },
    ]);
  });
});

function failureOf(change: object): { code: string; message: string } {
  try {
    decode(change);
  } catch (error) {
    if (error instanceof TollgateError) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: "none", message: "" };
}

describe("what a translated call rejects", () => {
  const part = (content: object) => ({ messages: [{ role: "user", content: [content] }] });
  const assistant = (fields: object) => ({ messages: [{ role: "assistant", content: null, ...fields }] });
  const call = (args: unknown) => ({ id: "c", type: "function", function: { name: "f", arguments: args } });
  const table: [string, object, string][] = [
    ["unsupported_feature", { n: 2 }, "`n`"],
    ["unsupported_feature", { logprobs: true }, "`logprobs`"],
    ["unsupported_feature", { modalities: ["text", "audio"] }, "`modalities`"],
    ["invalid_request", { modalities: "image" }, "`modalities`"],
    ["unsupported_feature", { audio: { voice: "alloy" } }, "`audio`"],
    ["unsupported_feature", { prediction: { type: "content" } }, "`prediction`"],
    ["unsupported_feature", { web_search_options: {} }, "`web_search_options`"],
    ["unsupported_feature", { functions: [] }, "`functions`"],
    ["unsupported_feature", { function_call: "auto" }, "`function_call`"],
    ["unsupported_feature", { tools: [{ type: "custom", custom: { name: "f" } }] }, "`tools[0].type`"],
    ["unsupported_feature", { tool_choice: { type: "custom", custom: { name: "f" } } }, "`tool_choice`"],
    ["unsupported_feature", { messages: [{ role: "function", name: "f", content: "" }] }, "`messages[0]`"],
    ["unsupported_feature", assistant({ function_call: { name: "f" } }), "function_call"],
    ["unsupported_feature", part({ type: "file", file: { file_id: "file-1" } }), "file_id"],
    ["unsupported_feature", part({ type: "video" }), "`messages[0].content[0].type`"],
    ["invalid_request", part({ type: "image_url", image_url: { url: "ftp://e.example" } }), "image_url.url"],
    [
      "invalid_request",
      part({ type: "image_url", image_url: { url: "data:image/png,raw" } }),
      "image_url.url",
    ],
    ["invalid_request", part({ type: "text" }), "`messages[0].content[0].text`"],
    ["invalid_request", { messages: [{ role: "user", content: null }] }, "`messages[0].content`"],
    ["invalid_request", { messages: [{ role: "narrator", content: "" }] }, "`messages[0].role`"],
    ["invalid_request", { messages: [{ role: "tool", content: "" }] }, "`messages[0].tool_call_id`"],
    ["invalid_request", assistant({ tool_calls: [call({ a: 1 })] }), "function.arguments`"],
    ["invalid_request", { reasoning_effort: "huge" }, "`reasoning_effort`"],
    ["invalid_request", { stop: [1] }, "`stop`"],
    ["invalid_request", { response_format: { type: "xml" } }, "`response_format.type`"],
    ["invalid_request", { tool_choice: "sometimes" }, "`tool_choice`"],
    ["invalid_request", { top_p: "1" }, "`top_p`"],
  ];
  for (const [code, change, field] of table)
    it(`${code}: ${JSON.stringify(change)}`, () => {
      const failure = failureOf(change);
      expect(failure.code).toBe(code);
      expect(failure.message).toContain(field);
    });

  it("a native call passes all of it through", () => {
    const body = { ...base, model: "gpt-4o", n: 2, logprobs: true, functions: [], web_search_options: {} };
    expect(openaiChat.prepareNative(body, "gpt-4o")).toBe(body);
  });
});

it("GW-019 decoding and encoding gives OpenAI the same conversation", () => {
  const body = {
    model: "gpt-4o",
    messages: [
      { role: "system", content: "s" },
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "image_url", image_url: { url: "https://e.example/i" } },
        ],
      },
      {
        role: "assistant",
        content: "t",
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"x": 1}' } }],
      },
      { role: "tool", tool_call_id: "c", content: "r" },
    ],
    max_completion_tokens: 9,
    temperature: 0.5,
    stop: ["x"],
    tools: [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }],
    tool_choice: "auto",
    stream: true,
    stream_options: { include_usage: true },
  };
  const sent = openai.conversation.encodeRequest(openaiChat.decodeRequest(body));
  expect(JSON.parse(String(sent.body))).toEqual(body);
});
