import { describe, expect, it } from "bun:test";
import { openaiChat } from "./dialect.ts";

const base = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };

describe("summarize", () => {
  it("GW-003 accepts a plain request", () => {
    expect(openaiChat.summarize(base)).toEqual({
      model: "gpt-4o",
      stream: false,
      wantsStreamUsage: false,
      maxOutputTokens: null,
      choices: 1,
    });
  });

  it("reads stream, limit and n; null counts as absent", () => {
    const body = {
      ...base,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 5,
      max_completion_tokens: 7,
      n: 2,
      temperature: null,
    };
    expect(openaiChat.summarize(body)).toEqual({
      model: "gpt-4o",
      stream: true,
      wantsStreamUsage: true,
      maxOutputTokens: 7,
      choices: 2,
    });
    expect(openaiChat.summarize({ ...base, max_tokens: 5, n: null, stream: null })).toMatchObject({
      maxOutputTokens: 5,
      choices: 1,
      stream: false,
    });
  });

  const bad: [object, string][] = [
    [{ model: undefined }, "`model`"],
    [{ model: "" }, "`model`"],
    [{ messages: undefined }, "`messages`"],
    [{ messages: [] }, "`messages`"],
    [{ messages: ["hi"] }, "`messages[0]`"],
    [{ messages: [{ content: "hi" }] }, "`messages[0].role`"],
    [{ stream: "true" }, "`stream`"],
    [{ max_tokens: 1.5 }, "`max_tokens`"],
    [{ max_tokens: -1 }, "`max_tokens`"],
    [{ max_completion_tokens: "5" }, "`max_completion_tokens`"],
    [{ temperature: "hot" }, "`temperature`"],
    [{ n: 0 }, "`n`"],
    [{ deferred: true }, "`deferred`"],
  ];
  for (const [change, field] of bad)
    it(`rejects ${JSON.stringify(change)} and names ${field}`, () => {
      expect(() => openaiChat.summarize({ ...base, ...change })).toThrow(field);
    });
});

describe("prefix", () => {
  const system = { role: "system", content: "s" };
  const developer = { role: "developer", content: "d" };
  const [user] = base.messages;
  it("is the tools and the leading system messages, and nothing after them", () => {
    const tools = [{ type: "function", function: { name: "f" } }];
    const one = openaiChat.prefix({ messages: [system, developer, user], tools });
    const other = openaiChat.prefix({ messages: [system, developer, user, user, system], tools });
    expect(one).toBe(JSON.stringify([tools, [system, developer]]));
    expect(other).toBe(one);
  });
  it("is empty without either", () => {
    expect(openaiChat.prefix({ messages: [user, system], tools: [] })).toBe("");
  });
});

describe("prepareNative", () => {
  it("returns the same object if nothing has to change", () => {
    const streamed = { ...base, stream: true, stream_options: { include_usage: true } };
    expect(openaiChat.prepareNative(base, "gpt-4o")).toBe(base);
    expect(openaiChat.prepareNative(streamed, "gpt-4o")).toBe(streamed);
  });
  it("sends the bare model name", () => {
    const body = { ...base, model: "openai/gpt-4o", logprobs: true };
    expect(openaiChat.prepareNative(body, "gpt-4o")).toEqual({ ...base, logprobs: true });
  });
  it("GW-007 requests usage for every stream, and keeps the other stream options", () => {
    const options = { include_usage: false, include_obfuscation: false };
    expect(openaiChat.prepareNative({ ...base, stream: true, stream_options: options }, "gpt-4o")).toEqual({
      ...base,
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
    });
    expect(openaiChat.prepareNative({ ...base, stream: true }, "gpt-4o")).toEqual({
      ...base,
      stream: true,
      stream_options: { include_usage: true },
    });
  });
});
