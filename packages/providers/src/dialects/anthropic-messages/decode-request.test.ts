import { describe, expect, it } from "bun:test";
import { TollgateError } from "@tollgate/core/errors";
import type { CanonicalRequest, Turn } from "../../canonical/request.ts";
import { decodeRequest } from "./decode-request.ts";

function decode(over: object): CanonicalRequest {
  return decodeRequest({
    model: "gpt-4o",
    max_tokens: 5,
    messages: [{ role: "user", content: "hi" }],
    ...over,
  });
}

const user = (...content: unknown[]) => ({ messages: [{ role: "user", content }] });
const cache_control = { type: "ephemeral", ttl: "1h" };

describe("decodeRequest", () => {
  it("GW-019 translates the minimal request", () => {
    expect(decode({})).toEqual({
      model: "gpt-4o",
      stream: false,
      maxOutputTokens: 5,
      turns: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
    });
  });

  it.each<[object, Partial<CanonicalRequest>]>([
    [{ stream: true }, { stream: true }],
    [
      { temperature: 0.5, top_p: 0.9, top_k: 4 },
      { temperature: 0.5, topP: 0.9, topK: 4 },
    ],
    [{ stop_sequences: ["END"] }, { stop: ["END"] }],
    [{ metadata: { user_id: "u" } }, { user: "u" }],
    [{ service_tier: "auto" }, { serviceTier: "auto" }],
    [{ service_tier: "standard_only" }, { serviceTier: "default" }],
    [{ tool_choice: { type: "auto" } }, { toolChoice: { mode: "auto" } }],
    [{ tool_choice: { type: "none" } }, { toolChoice: { mode: "none" } }],
    [
      { tool_choice: { type: "any", disable_parallel_tool_use: true } },
      { toolChoice: { mode: "required" }, parallelToolCalls: false },
    ],
    [{ tool_choice: { type: "tool", name: "f" } }, { toolChoice: { mode: "tool", name: "f" } }],
    [{ thinking: { type: "enabled", budget_tokens: 2000 } }, { reasoning: { budgetTokens: 2000 } }],
    [{ thinking: { type: "adaptive" } }, { reasoning: { effort: "high" } }],
    [{ thinking: { type: "adaptive" }, output_config: { effort: "max" } }, { reasoning: { effort: "max" } }],
    [{ thinking: { type: "disabled" } }, { reasoning: { effort: "none" } }],
    [{ output_config: { effort: "low" } }, { reasoning: { effort: "low" } }],
    [
      { output_config: { format: { type: "json_schema", schema: { type: "object" } } } },
      { outputFormat: { kind: "schema", name: "answer", schema: { type: "object" } } },
    ],
    [
      { output_format: { type: "json_schema", schema: { type: "object" } } },
      { outputFormat: { kind: "schema", name: "answer", schema: { type: "object" } } },
    ],
    [
      {
        tools: [
          { name: "f", description: "d", input_schema: { type: "object" }, strict: true, cache_control },
          { type: "custom", name: "g" },
        ],
      },
      {
        tools: [
          {
            name: "f",
            description: "d",
            parameters: { type: "object" },
            strict: true,
            cacheControl: cache_control,
          },
          { name: "g" },
        ],
      },
    ],
    [{ context_management: { edits: [] }, speed: "fast", cache_control }, {}],
  ])("translates %j", (over, expected) => {
    expect(decode(over)).toEqual({ ...decode({}), ...expected });
  });

  it.each<[string, object, Turn[]]>([
    [
      "system as text, and a system turn in the middle",
      {
        system: "s",
        messages: [
          { role: "user", content: "a" },
          { role: "system", content: [{ type: "text", text: "b" }] },
        ],
      },
      [
        { role: "system", parts: [{ kind: "text", text: "s" }] },
        { role: "user", parts: [{ kind: "text", text: "a" }] },
        { role: "system", parts: [{ kind: "text", text: "b" }] },
      ],
    ],
    [
      "system as blocks, with cache breakpoints",
      {
        system: [{ type: "text", text: "s", cache_control }],
        ...user({ type: "text", text: "a", cache_control }),
      },
      [
        { role: "system", parts: [{ kind: "text", text: "s", cacheControl: cache_control }] },
        { role: "user", parts: [{ kind: "text", text: "a", cacheControl: cache_control }] },
      ],
    ],
    [
      "images and documents",
      user(
        { type: "image", source: { type: "base64", media_type: "image/png", data: "QQ==" } },
        { type: "image", source: { type: "url", url: "https://x.test/a" }, cache_control },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "QQ==" },
          title: "t",
        },
        { type: "document", source: { type: "url", url: "https://x.test/b" } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "plain" } },
        { type: "document", source: { type: "content", content: [{ type: "text", text: "inner" }] } },
      ),
      [
        {
          role: "user",
          parts: [
            { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "QQ==" } },
            { kind: "image", source: { kind: "url", url: "https://x.test/a" }, cacheControl: cache_control },
            {
              kind: "file",
              mediaType: "application/pdf",
              source: { kind: "base64", data: "QQ==" },
              filename: "t",
            },
            { kind: "file", mediaType: "application/pdf", source: { kind: "url", url: "https://x.test/b" } },
            { kind: "text", text: "plain" },
            { kind: "text", text: "inner" },
          ],
        },
      ],
    ],
    [
      "tool calls: results are their own turn, named after their calls",
      {
        messages: [
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm", signature: "sig" },
              { type: "thinking", thinking: "hm" },
              { type: "redacted_thinking", data: "xyz" },
              { type: "text", text: "wait" },
              { type: "tool_use", id: "1", name: "f", input: { a: 1 } },
              { type: "tool_use", id: "2", name: "g" },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "1", content: "one", cache_control },
              {
                type: "tool_result",
                tool_use_id: "2",
                content: [{ type: "text", text: "two" }],
                is_error: true,
              },
              { type: "tool_result", tool_use_id: "3" },
              { type: "text", text: "go on" },
            ],
          },
        ],
      },
      [
        {
          role: "assistant",
          parts: [
            { kind: "reasoning", text: "hm", signature: "sig" },
            { kind: "reasoning", text: "hm" },
            { kind: "redacted_reasoning", data: "xyz" },
            { kind: "text", text: "wait" },
            { kind: "tool_call", id: "1", name: "f", arguments: '{"a":1}' },
            { kind: "tool_call", id: "2", name: "g", arguments: "{}" },
          ],
        },
        {
          role: "tool",
          results: [
            {
              callId: "1",
              name: "f",
              content: [{ kind: "text", text: "one" }],
              isError: false,
              cacheControl: cache_control,
            },
            { callId: "2", name: "g", content: [{ kind: "text", text: "two" }], isError: true },
            { callId: "3", name: undefined, content: [], isError: false },
          ],
        },
        { role: "user", parts: [{ kind: "text", text: "go on" }] },
      ],
    ],
  ])("GW-019 translates %s", (_what, over, turns) => {
    expect(decode(over).turns).toEqual(turns);
  });

  it.each<[object, RegExp]>([
    [
      { tools: [{ type: "web_search_20250305", name: "web_search" }] },
      /web_search_20250305.*custom tools only/,
    ],
    [user({ type: "container_upload", file_id: "f" }), /container_upload/],
    [{ messages: [{ role: "assistant", content: [{ type: "server_tool_use" }] }] }, /server_tool_use/],
    [user({ type: "image", source: { type: "file", file_id: "f" } }), /messages\[0\]\.content\[0\]\.source/],
    [{ mcp_servers: [{ type: "url" }] }, /mcp_servers/],
    [{ container: "c" }, /container/],
    [{ inference_geo: "us" }, /inference_geo/],
    [{ max_tokens: 0 }, /max_tokens/],
  ])("rejects what only anthropic can do (%#)", (over, sentence) => {
    const attempt = () => decode(over);
    expect(attempt).toThrow(sentence);
    expect(attempt).toThrow(expect.objectContaining({ code: "unsupported_feature" }));
  });

  it("rejects a thread with anthropic's own error, so that its tool runner sends the whole conversation", () => {
    const bodies: unknown[] = [];
    for (const thread of [{ type: "create" }, { type: "continue", previous_message_id: "msg_1" }]) {
      try {
        decode({ thread });
      } catch (error) {
        bodies.push(error instanceof TollgateError && error.status === 400 && error.body);
      }
    }
    const refusal = {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: expect.stringContaining("`thread`"),
        details: { error_code: "thread_unsupported_request" },
      },
    };
    expect(bodies).toEqual([refusal, refusal]);
    expect(decode({ thread: null }).turns).toHaveLength(1);
  });

  it.each<[object, string]>([
    [{ messages: [{ role: "robot", content: "hi" }] }, "`messages[0].role`"],
    [user("hi"), "`messages[0].content[0]`"],
    [user({ type: "text" }), "`messages[0].content[0].text`"],
    [user({ type: "tool_result" }), "`messages[0].content[0].tool_use_id`"],
    [{ system: 7 }, "`system`"],
    [{ temperature: "hot" }, "`temperature`"],
    [{ stop_sequences: [7] }, "`stop_sequences`"],
    [{ metadata: "me" }, "`metadata`"],
    [{ metadata: { user_id: 7 } }, "`metadata.user_id`"],
    [{ tools: [{}] }, "`tools[0].name`"],
    [{ tool_choice: { type: "maybe" } }, "`tool_choice.type`"],
    [{ thinking: { type: "enabled" } }, "`thinking.budget_tokens`"],
    [{ thinking: { type: "sometimes" } }, "`thinking.type`"],
    [{ output_config: { effort: "huge" } }, "`output_config.effort`"],
    [{ output_config: { format: { type: "xml" } } }, "`output_config.format.type`"],
  ])("names the field that is wrong in %j", (over, field) => {
    const attempt = () => decode(over);
    expect(attempt).toThrow(field);
    expect(attempt).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });
});
