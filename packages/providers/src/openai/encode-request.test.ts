import { describe, expect, it } from "bun:test";
import { TollgateError } from "@tollgate/core/errors";
import type { CanonicalRequest, UserPart } from "../canonical/request.ts";
import { xai } from "../xai/provider.ts";
import { openai } from "./provider.ts";

const base: CanonicalRequest = {
  model: "gpt-4o",
  stream: false,
  turns: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
};
const hi = [{ role: "user", content: "hi" }];

type Codec = typeof openai.conversation;

function bodyOf(codec: Codec, request: Partial<CanonicalRequest>): unknown {
  return JSON.parse(String(codec.encodeRequest({ ...base, ...request }).body));
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof TollgateError ? error.code : "another error";
  }
  return "none";
}

const closed = { type: "object", properties: {}, required: [], additionalProperties: false };

describe("GW-019 a conversation encoded for OpenAI", () => {
  const table: { name: string; request: Partial<CanonicalRequest>; body: object }[] = [
    { name: "plain", request: {}, body: { model: "gpt-4o", messages: hi } },
    {
      name: "system text is `system` on chat models",
      request: { turns: [{ role: "system", parts: [{ kind: "text", text: "s" }] }, ...base.turns] },
      body: { model: "gpt-4o", messages: [{ role: "system", content: "s" }, ...hi] },
    },
    {
      name: "system text is `developer` on reasoning models, and several parts stay separate",
      request: {
        model: "o3",
        turns: [
          {
            role: "system",
            parts: [
              { kind: "text", text: "a", cacheControl: { type: "ephemeral" } },
              { kind: "text", text: "b" },
            ],
          },
        ],
      },
      body: {
        model: "o3",
        messages: [
          {
            role: "developer",
            content: [
              { type: "text", text: "a" },
              { type: "text", text: "b" },
            ],
          },
        ],
      },
    },
    {
      name: "gpt-5-chat is not a reasoning model",
      request: { model: "gpt-5-chat-latest", temperature: 0.5, reasoning: { effort: "high" } },
      body: { model: "gpt-5-chat-latest", messages: hi, temperature: 0.5 },
    },
    {
      name: "sampling on a chat model; top_k has no equivalent",
      request: {
        temperature: 0.2,
        topP: 0.9,
        topK: 40,
        frequencyPenalty: 0.1,
        presencePenalty: 0.3,
        seed: 7,
        stop: ["A", "B"],
        maxOutputTokens: 50,
      },
      body: {
        model: "gpt-4o",
        messages: hi,
        max_completion_tokens: 50,
        temperature: 0.2,
        top_p: 0.9,
        frequency_penalty: 0.1,
        presence_penalty: 0.3,
        stop: ["A", "B"],
        seed: 7,
      },
    },
    {
      name: "the oldest models take max_tokens",
      request: { model: "gpt-4-turbo", maxOutputTokens: 9 },
      body: { model: "gpt-4-turbo", messages: hi, max_tokens: 9 },
    },
    {
      name: "reasoning models reject sampling and stop",
      request: { model: "o4-mini", temperature: 1, topP: 1, stop: ["x"], maxOutputTokens: 9 },
      body: { model: "o4-mini", messages: hi, max_completion_tokens: 9 },
    },
    {
      name: "gpt-5.1 samples with effort none",
      request: { model: "gpt-5.1", temperature: 1, reasoning: { effort: "none" } },
      body: { model: "gpt-5.1", messages: hi, temperature: 1, reasoning_effort: "none" },
    },
    {
      name: "gpt-5.1 does not sample otherwise",
      request: { model: "gpt-5.1", temperature: 1, reasoning: { effort: "low" } },
      body: { model: "gpt-5.1", messages: hi, reasoning_effort: "low" },
    },
    {
      name: "tools, strict, choice by name, no parallel calls",
      request: {
        tools: [
          { name: "f", description: "d", parameters: closed, strict: true },
          { name: "open", parameters: { type: "object" }, strict: true },
          { name: "g" },
        ],
        toolChoice: { mode: "tool", name: "f" },
        parallelToolCalls: false,
      },
      body: {
        model: "gpt-4o",
        messages: hi,
        tools: [
          {
            type: "function",
            function: { name: "f", description: "d", parameters: closed, strict: true },
          },
          {
            type: "function",
            function: { name: "open", parameters: { type: "object", properties: {} }, strict: false },
          },
          { type: "function", function: { name: "g" } },
        ],
        tool_choice: { type: "function", function: { name: "f" } },
        parallel_tool_calls: false,
      },
    },
    {
      name: "a tool choice without tools would be refused",
      request: { toolChoice: { mode: "required" }, parallelToolCalls: true },
      body: { model: "gpt-4o", messages: hi },
    },
    {
      name: "gpt-5.2 and later take tools on this endpoint only without reasoning",
      request: { model: "gpt-5.6-sol", tools: [{ name: "f" }], reasoning: { budgetTokens: 9000 } },
      body: {
        model: "gpt-5.6-sol",
        messages: hi,
        tools: [{ type: "function", function: { name: "f" } }],
        reasoning_effort: "none",
      },
    },
    {
      name: "JSON",
      request: { outputFormat: { kind: "json" } },
      body: { model: "gpt-4o", messages: hi, response_format: { type: "json_object" } },
    },
    {
      name: "JSON by a schema",
      request: { outputFormat: { kind: "schema", name: "n", schema: { type: "object" }, strict: true } },
      body: {
        model: "gpt-4o",
        messages: hi,
        response_format: {
          type: "json_schema",
          json_schema: { name: "n", schema: { type: "object" }, strict: true },
        },
      },
    },
    {
      name: "tier, user and stream; usage is always asked for",
      request: { serviceTier: "standard_only", user: "u-1", stream: true },
      body: {
        model: "gpt-4o",
        messages: hi,
        service_tier: "default",
        safety_identifier: "u-1",
        stream: true,
        stream_options: { include_usage: true },
      },
    },
    {
      name: "assistant text, calls and refusal; reasoning is not sent to OpenAI",
      request: {
        turns: [
          {
            role: "assistant",
            parts: [
              { kind: "reasoning", text: "hm", signature: "s" },
              { kind: "redacted_reasoning", data: "x" },
              { kind: "text", text: "one " },
              { kind: "text", text: "two" },
              { kind: "tool_call", id: "c1", name: "f", arguments: '{"a":1}' },
            ],
          },
          {
            role: "tool",
            results: [
              { callId: "c1", name: "f", content: [{ kind: "text", text: "r" }], isError: false },
              { callId: "c2", name: undefined, content: [], isError: true },
            ],
          },
          { role: "assistant", parts: [{ kind: "refusal", text: "no" }] },
          { role: "assistant", parts: [] },
        ],
      },
      body: {
        model: "gpt-4o",
        messages: [
          {
            role: "assistant",
            content: "one two",
            tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
          },
          { role: "tool", tool_call_id: "c1", content: "r" },
          { role: "tool", tool_call_id: "c2", content: "" },
          { role: "assistant", content: null, refusal: "no" },
          { role: "assistant", content: "" },
        ],
      },
    },
    {
      name: "images in tool results follow all results of the turn, in a user message",
      request: {
        turns: [
          {
            role: "tool",
            results: [
              {
                callId: "c1",
                name: "f",
                content: [
                  { kind: "text", text: "the screen" },
                  { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } },
                ],
                isError: false,
              },
            ],
          },
          {
            role: "tool",
            results: [
              {
                callId: "c2",
                name: "f",
                content: [{ kind: "image", source: { kind: "url", url: "https://e.example/a.png" } }],
                isError: false,
              },
              { callId: "c3", name: "f", content: [{ kind: "text", text: "r" }], isError: false },
            ],
          },
          ...base.turns,
        ],
      },
      body: {
        model: "gpt-4o",
        messages: [
          {
            role: "tool",
            tool_call_id: "c1",
            content: [
              { type: "text", text: "the screen" },
              { type: "text", text: "The images and files of this result are in the next user message." },
            ],
          },
          {
            role: "tool",
            tool_call_id: "c2",
            content: "The images and files of this result are in the next user message.",
          },
          { role: "tool", tool_call_id: "c3", content: "r" },
          {
            role: "user",
            content: [
              { type: "text", text: "From the result of tool call c1:" },
              { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
              { type: "text", text: "From the result of tool call c2:" },
              { type: "image_url", image_url: { url: "https://e.example/a.png" } },
            ],
          },
          ...hi,
        ],
      },
    },
    {
      name: "images, audio, a PDF and a text file",
      request: {
        turns: [
          {
            role: "user",
            parts: [
              { kind: "image", source: { kind: "url", url: "https://e.example/a.png" }, detail: "low" },
              { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } },
              { kind: "audio", format: "wav", data: "BB==" },
              { kind: "file", mediaType: "application/pdf", source: { kind: "base64", data: "CC==" } },
              { kind: "file", mediaType: "text/plain", source: { kind: "base64", data: btoa("plain") } },
            ],
          },
        ],
      },
      body: {
        model: "gpt-4o",
        messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: "https://e.example/a.png", detail: "low" } },
              { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
              { type: "input_audio", input_audio: { data: "BB==", format: "wav" } },
              {
                type: "file",
                file: { filename: "document.pdf", file_data: "data:application/pdf;base64,CC==" },
              },
              { type: "text", text: "plain" },
            ],
          },
        ],
      },
    },
  ];
  for (const { name, request, body } of table)
    it(name, () => {
      expect(bodyOf(openai.conversation, request)).toEqual(body);
    });

  it("a user id that is too long is replaced by its hash", () => {
    const body = bodyOf(openai.conversation, { user: "u".repeat(129) });
    expect(body).toMatchObject({ safety_identifier: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  const efforts: [string, CanonicalRequest["reasoning"], string | undefined][] = [
    ["o3", { effort: "none" }, "low"],
    ["o3", { effort: "xhigh" }, "high"],
    ["o1-mini", { effort: "low" }, undefined],
    ["gpt-5", { effort: "none" }, "minimal"],
    ["gpt-5", { budgetTokens: 1024 }, "minimal"],
    ["gpt-5", { budgetTokens: 4096 }, "low"],
    ["gpt-5", { budgetTokens: 8192 }, "medium"],
    ["gpt-5", { budgetTokens: 8193 }, "high"],
    ["gpt-5.1", { budgetTokens: 1024 }, "low"],
    ["gpt-5.4", { effort: "xhigh" }, "xhigh"],
    ["gpt-5.4", { effort: "max" }, "xhigh"],
    ["gpt-6-luna", { effort: "none" }, "none"],
    ["gpt-6-astra", { effort: "none" }, "low"],
    ["gpt-6.1-sol", { budgetTokens: 1024 }, "low"],
    ["gpt-4o", { effort: "high" }, undefined],
    ["gpt-5", {}, undefined],
  ];
  for (const [model, reasoning, expected] of efforts)
    it(`${model} with ${JSON.stringify(reasoning)} reasons at ${expected ?? "its default"}`, () => {
      const body = bodyOf(openai.conversation, { model, ...(reasoning && { reasoning }) });
      expect((body as Record<string, unknown>).reasoning_effort).toBe(expected);
    });
});

describe("what cannot be expressed is rejected, not dropped", () => {
  const user = (...parts: UserPart[]): Partial<CanonicalRequest> => ({ turns: [{ role: "user", parts }] });
  const pdf: UserPart = { kind: "file", mediaType: "application/pdf", source: { kind: "base64", data: "" } };
  const table: [string, Codec, Partial<CanonicalRequest>][] = [
    [
      "a file by URL",
      openai.conversation,
      user({
        kind: "file",
        mediaType: "application/pdf",
        source: { kind: "url", url: "https://e.example" },
      }),
    ],
    [
      "an unknown file",
      openai.conversation,
      user({ kind: "file", mediaType: "x/y", source: { kind: "base64", data: "" } }),
    ],
    ["ogg audio", openai.conversation, user({ kind: "audio", format: "ogg", data: "" })],
    [
      "tools for a model that takes them only in the Responses API",
      openai.conversation,
      { model: "gpt-6-astra", tools: [{ name: "f" }] },
    ],
    ["five stop sequences", openai.conversation, { stop: ["1", "2", "3", "4", "5"] }],
    [
      "a PDF to xAI in a tool's result",
      xai.conversation,
      { turns: [{ role: "tool", results: [{ callId: "c", name: "f", content: [pdf], isError: false }] }] },
    ],
    ["a PDF to xAI", xai.conversation, user(pdf)],
    ["audio to xAI", xai.conversation, user({ kind: "audio", format: "wav", data: "" })],
  ];
  for (const [name, codec, request] of table)
    it(name, () => {
      expect(codeOf(() => bodyOf(codec, request))).toBe("unsupported_feature");
    });
});
