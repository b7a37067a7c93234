import { describe, expect, it } from "bun:test";
import type { AnswerEvent } from "../canonical/answer.ts";
import { xai } from "../xai/provider.ts";
import { decodeStreamError } from "./decode-error.ts";
import { openai } from "./provider.ts";

const answer = (message: object, finish_reason = "stop") => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "gpt-4o-2024-08-06",
  choices: [{ index: 0, message: { role: "assistant", ...message }, logprobs: null, finish_reason }],
});
const call = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

describe("GW-019 decoding an answer of OpenAI or xAI", () => {
  it("text", () => {
    expect(openai.conversation.decodeAnswer(answer({ content: "hi", refusal: null }))).toEqual({
      id: "chatcmpl-1",
      model: "gpt-4o-2024-08-06",
      created: 1_700_000_000,
      parts: [{ kind: "text", text: "hi" }],
      finish: "stop",
    });
  });

  it("reasoning and calls; a call without arguments has an empty object", () => {
    const body = answer(
      { content: "", reasoning_content: "hm", tool_calls: [call("c1", "f", "")] },
      "tool_calls",
    );
    expect(xai.conversation.decodeAnswer(body)).toMatchObject({
      parts: [
        { kind: "reasoning", text: "hm" },
        { kind: "tool_call", id: "c1", name: "f", arguments: "{}" },
      ],
      finish: "tool_calls",
    });
  });

  const finishes: [string, object, string][] = [
    ["length", { content: "x" }, "length"],
    ["content_filter", { content: "x" }, "content_filter"],
    ["function_call", { content: null }, "tool_calls"],
    ["stop", { content: null, refusal: "no" }, "refusal"],
    // A tool forced by name ends with `stop`.
    ["stop", { content: null, tool_calls: [call("c", "f", "{}")] }, "tool_calls"],
    ["something new", { content: "x" }, "stop"],
  ];
  for (const [reason, message, expected] of finishes)
    it(`${reason} with ${JSON.stringify(message)} is ${expected}`, () => {
      const { finish } = openai.conversation.decodeAnswer(answer(message, reason));
      expect(finish as string).toBe(expected);
    });

  for (const body of [null, [], {}, { choices: [] }, { choices: [{}] }, "text"])
    it(`${JSON.stringify(body)} is not an answer`, () => {
      expect(() => openai.conversation.decodeAnswer(body)).toThrow("choices[0].message");
    });
});

function decodeAll(frames: readonly unknown[]): AnswerEvent[] {
  const decoder = openai.conversation.streamDecoder();
  return [...frames.flatMap(frame => decoder.decode(frame)), ...decoder.end()];
}

const chunk = (delta: object, finish_reason?: string | null) => ({
  id: "i",
  model: "m",
  choices: [{ index: 0, delta, ...(finish_reason !== undefined && { finish_reason }) }],
});
const start: AnswerEvent = { kind: "start", id: "i", model: "m" };

describe("GW-019 decoding a stream of OpenAI or xAI", () => {
  it("text, in OpenAI's shape, with the usage chunk at its end", () => {
    const frames = [
      chunk({ role: "assistant", content: "", refusal: null }, null),
      chunk({ content: "he" }, null),
      chunk({ content: "llo" }, null),
      chunk({}, "stop"),
      { id: "i", model: "m", choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } },
    ];
    expect(decodeAll(frames)).toEqual([
      start,
      { kind: "text", text: "he" },
      { kind: "text", text: "llo" },
      { kind: "finish", finish: "stop" },
    ]);
  });

  it("xAI's chunks, which have no finish_reason until the end", () => {
    const frames = [
      chunk({ reasoning_content: "hm", role: "assistant" }),
      chunk({ content: "a" }),
      chunk({}, "length"),
    ];
    expect(decodeAll(frames)).toEqual([
      start,
      { kind: "reasoning", text: "hm" },
      { kind: "text", text: "a" },
      { kind: "finish", finish: "length" },
    ]);
  });

  it("parallel calls, distinguished by index and numbered in the order in which they start", () => {
    const frames = [
      chunk({ content: null, tool_calls: [{ index: 1, ...call("c1", "f", "") }] }, null),
      chunk({ tool_calls: [{ index: 1, function: { arguments: '{"a"' } }] }, null),
      chunk({ tool_calls: [{ index: 3, ...call("c2", "g", '{"b":2}') }] }, null),
      chunk({ tool_calls: [{ index: 1, function: { arguments: ":1}" } }] }, null),
      chunk({}, "tool_calls"),
    ];
    expect(decodeAll(frames)).toEqual([
      start,
      { kind: "tool_start", index: 0, id: "c1", name: "f" },
      { kind: "tool_arguments", index: 0, fragment: '{"a"' },
      { kind: "tool_start", index: 1, id: "c2", name: "g" },
      { kind: "tool_arguments", index: 1, fragment: '{"b":2}' },
      { kind: "tool_arguments", index: 0, fragment: ":1}" },
      { kind: "finish", finish: "tool_calls" },
    ]);
  });

  it("arguments that arrive before the name wait for it", () => {
    const frames = [
      chunk({ tool_calls: [{ index: 0, id: "c", function: { arguments: "{" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: "f", arguments: "}" } }] }),
    ];
    expect(decodeAll(frames)).toEqual([
      start,
      { kind: "tool_start", index: 0, id: "c", name: "f" },
      { kind: "tool_arguments", index: 0, fragment: "{}" },
    ]);
  });

  it("a refusal", () => {
    expect(decodeAll([chunk({ refusal: "no" }, null), chunk({}, "stop")])).toEqual([
      start,
      { kind: "refusal", text: "no" },
      { kind: "finish", finish: "refusal" },
    ]);
  });

  it("only the first choice", () => {
    const second = {
      id: "i",
      model: "m",
      choices: [{ index: 1, delta: { content: "b" }, finish_reason: "stop" }],
    };
    expect(decodeAll([second])).toEqual([start]);
  });

  it("an error inside the stream ends it, and nothing finishes", () => {
    const failure = { error: { message: "overloaded", type: "server_error", code: null, param: null } };
    expect(decodeAll([chunk({ content: "a" }, "stop"), failure, chunk({ content: "b" })])).toEqual([
      start,
      { kind: "text", text: "a" },
      { kind: "error", error: { status: 500, message: "overloaded", type: "server_error" } },
    ]);
  });

  it("a stream that was cut off has no finish", () => {
    expect(decodeAll([chunk({ content: "a" }, null)])).toEqual([start, { kind: "text", text: "a" }]);
  });
});

describe("decodeError", () => {
  it("OpenAI's body", () => {
    const error = {
      message: "no such model",
      type: "invalid_request_error",
      param: null,
      code: "model_not_found",
    };
    expect(openai.decodeError(404, { error })).toEqual({
      status: 404,
      message: "no such model",
      type: "invalid_request_error",
      code: "model_not_found",
    });
  });

  it("xAI's body, which has a string for `error`", () => {
    expect(xai.decodeError(400, { code: "invalid-argument", error: "wrong key" })).toEqual({
      status: 400,
      message: "wrong key",
      code: "invalid-argument",
    });
  });

  for (const body of [undefined, null, "<html>", { error: {} }, { error: null }, []])
    it(`describes ${JSON.stringify(body) ?? "a body that is not JSON"} by its status`, () => {
      expect(openai.decodeError(503, body)).toEqual({
        status: 503,
        message: "OpenAI answered with status 503",
      });
      expect(xai.decodeError(503, body)).toEqual({ status: 503, message: "xAI answered with status 503" });
    });

  const statuses: [object, number][] = [
    [{ message: "m", code: 503 }, 503],
    [{ message: "m", code: "rate_limit_exceeded" }, 429],
    [{ message: "m", type: "invalid_request_error" }, 400],
    [{ message: "m", type: "overloaded_error" }, 503],
    [{ message: "m" }, 500],
    [{}, 500],
  ];
  for (const [error, status] of statuses)
    it(`gives ${JSON.stringify(error)} inside a stream the status ${status}`, () => {
      expect(decodeStreamError({ error }).status).toBe(status);
    });
});

describe("GW-023 embeddings codec", () => {
  const codec = openai.embeddings;
  it("asks for floats", () => {
    const sent = codec?.encodeRequest({ model: "m", inputs: ["a", "b"], dimensions: 2 });
    expect(sent?.path).toBe("/v1/embeddings");
    expect(JSON.parse(String(sent?.body))).toEqual({
      model: "m",
      input: ["a", "b"],
      encoding_format: "float",
      dimensions: 2,
    });
  });
  it("puts vectors in the order of their index", () => {
    const data = [
      { object: "embedding", index: 1, embedding: [3] },
      { object: "embedding", index: 0, embedding: [1, 2] },
    ];
    expect(codec?.decodeAnswer({ model: "m-1", data }, "m")).toEqual({
      model: "m-1",
      vectors: [[1, 2], [3]],
    });
  });
  for (const body of [
    {},
    { data: [{ index: 0, embedding: "AAAA" }] },
    { data: [{ index: 5, embedding: [1] }] },
  ])
    it(`refuses ${JSON.stringify(body)}`, () => {
      expect(() => codec?.decodeAnswer(body, "m")).toThrow("no usable");
    });
});
