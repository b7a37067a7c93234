import { describe, expect, it } from "bun:test";
import type { AnswerPart, CanonicalAnswer, Finish } from "../../canonical/answer.ts";
import { createOpenaiChat } from "./dialect.ts";
import { encodeUsage } from "./encode-usage.ts";

const dialect = createOpenaiChat({ now: () => 1_800_000_000 });
const answer = (parts: AnswerPart[], finish: Finish = "stop"): CanonicalAnswer => ({
  id: "msg_1",
  model: "claude-sonnet-5-5",
  parts,
  finish,
});
const encode = (value: CanonicalAnswer) => JSON.parse(dialect.encodeAnswer(value, { input: 3, output: 2 }));

describe("encodeAnswer", () => {
  it("GW-003 GW-019 encodes a whole chat.completion", () => {
    expect(encode(answer([{ kind: "text", text: "hi" }]))).toEqual({
      id: "msg_1",
      object: "chat.completion",
      created: 1_800_000_000,
      model: "claude-sonnet-5-5",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "hi", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      },
    });
  });

  it("prefers the provider's own time", () => {
    expect(encode({ ...answer([]), created: 7 }).created).toBe(7);
  });

  it("omits unknown usage instead of claiming zero", () => {
    expect(JSON.parse(dialect.encodeAnswer(answer([]), null))).not.toHaveProperty("usage");
  });

  const messages: [string, AnswerPart[], object][] = [
    ["nothing at all", [], { content: "", refusal: null }],
    ["a refusal", [{ kind: "refusal", text: "no" }], { content: null, refusal: "no" }],
    [
      "a call with Gemini's signature",
      [{ kind: "tool_call", id: "c", name: "f", arguments: "{}", signature: "s" }],
      {
        content: null,
        refusal: null,
        tool_calls: [
          {
            id: "c",
            type: "function",
            function: { name: "f", arguments: "{}" },
            extra_content: { google: { thought_signature: "s" } },
          },
        ],
      },
    ],
    [
      "one signed thought",
      [
        { kind: "reasoning", text: "hm", signature: "s" },
        { kind: "text", text: "a" },
        { kind: "text", text: "b" },
      ],
      {
        content: "ab",
        refusal: null,
        reasoning_content: "hm",
        extra_content: { anthropic: { signature: "s" } },
      },
    ],
    [
      "an encrypted thought",
      [
        { kind: "reasoning", text: "hm", signature: "s" },
        { kind: "redacted_reasoning", data: "x" },
      ],
      {
        content: "",
        refusal: null,
        reasoning_content: "hm",
        extra_content: {
          anthropic: {
            thinking_blocks: [
              { type: "thinking", thinking: "hm", signature: "s" },
              { type: "redacted_thinking", data: "x" },
            ],
          },
        },
      },
    ],
    [
      "generated images",
      [
        { kind: "text", text: "Here." },
        { kind: "generated_image", mediaType: "image/png", data: "AA==" },
        { kind: "generated_image", mediaType: "image/jpeg", data: "BB==", signature: "g" },
      ],
      {
        content: "Here.",
        refusal: null,
        images: [
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==" }, index: 0 },
          {
            type: "image_url",
            image_url: { url: "data:image/jpeg;base64,BB==" },
            index: 1,
            extra_content: { google: { thought_signature: "g" } },
          },
        ],
      },
    ],
    [
      "an unsigned thought",
      [{ kind: "reasoning", text: "hm" }],
      { content: "", refusal: null, reasoning_content: "hm" },
    ],
  ];
  for (const [name, parts, message] of messages)
    it(`GW-019 ${name}`, () => {
      expect(encode(answer(parts)).choices[0].message).toEqual({ role: "assistant", ...message });
    });

  it("GW-019 an answer's reasoning, text, images, calls and signatures survive being sent back", () => {
    const parts: AnswerPart[] = [
      { kind: "reasoning", text: "hm", signature: "s" },
      { kind: "redacted_reasoning", data: "x" },
      { kind: "text", text: "t", signature: "i" },
      { kind: "generated_image", mediaType: "image/png", data: "AA==", signature: "h" },
      { kind: "tool_call", id: "c", name: "f", arguments: '{"a":1}', signature: "g" },
    ];
    const { message } = encode(answer(parts)).choices[0];
    expect(dialect.decodeRequest({ model: "m", messages: [message] }).turns).toEqual([
      { role: "assistant", parts },
    ]);
  });

  const finishes: [Finish, string][] = [
    ["stop", "stop"],
    ["stop_sequence", "stop"],
    ["pause", "stop"],
    ["error", "stop"],
    ["length", "length"],
    ["tool_calls", "tool_calls"],
    ["refusal", "content_filter"],
    ["content_filter", "content_filter"],
  ];
  for (const [finish, reason] of finishes)
    it(`${finish} is encoded as ${reason}`, () => {
      expect(encode(answer([], finish)).choices[0].finish_reason).toBe(reason);
    });
});

it("MON-006 usage totals include cache and reasoning", () => {
  // In: 10 + 100 read + 30 + 5 written = 145. Out: 20 + 7 thinking = 27. Together 172.
  const usage = { input: 10, cache_read: 100, cache_write: 30, cache_write_1h: 5, output: 20, reasoning: 7 };
  expect(encodeUsage(usage)).toEqual({
    prompt_tokens: 145,
    completion_tokens: 27,
    total_tokens: 172,
    prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 35, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 7, audio_tokens: 0 },
  });
});

describe("encodeError", () => {
  it("is OpenAI's body, with the provider's own fields if it has any", () => {
    const error = { status: 401, message: "bad key", type: "authentication_error", code: "x", param: "p" };
    expect(JSON.parse(dialect.encodeError(error))).toEqual({
      error: { message: "bad key", type: "authentication_error", param: "p", code: "x" },
    });
  });
  for (const [status, type] of [
    [400, "invalid_request_error"],
    [429, "rate_limit_error"],
    [529, "server_error"],
  ] as const)
    it(`names the type of a bare ${status} ${type}`, () => {
      expect(JSON.parse(dialect.encodeError({ status, message: "m" }))).toEqual({
        error: { message: "m", type, param: null, code: null },
      });
    });
});
