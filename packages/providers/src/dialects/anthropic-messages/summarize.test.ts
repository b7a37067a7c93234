import { describe, expect, it } from "bun:test";
import { anthropicMessages } from "./dialect.ts";

const body = { model: "gpt-4o", max_tokens: 5, messages: [{ role: "user", content: "hi" }] };

describe("summarize", () => {
  it("GW-018 returns what the pipeline needs", () => {
    expect(anthropicMessages.summarize({ ...body, stream: true })).toEqual({
      model: "gpt-4o",
      stream: true,
      wantsStreamUsage: true,
      maxOutputTokens: 5,
      choices: 1,
    });
    expect(anthropicMessages.summarize({ ...body, max_tokens: 0, stream: null })).toMatchObject({
      stream: false,
      maxOutputTokens: 0,
    });
  });

  it.each<[string, object]>([
    ["`model`", { model: undefined }],
    ["`model`", { model: "" }],
    ["`model`", { model: 7 }],
    ["`max_tokens`", { max_tokens: undefined }],
    ["`max_tokens`", { max_tokens: "5" }],
    ["`max_tokens`", { max_tokens: 1.5 }],
    ["`max_tokens`", { max_tokens: -1 }],
    ["`messages`", { messages: undefined }],
    ["`messages`", { messages: "hi" }],
    ["`messages`", { messages: [] }],
    ["`messages[0]`", { messages: ["hi"] }],
    ["`messages[0].role`", { messages: [{ content: "hi" }] }],
    ["`messages[1].content`", { messages: [{ role: "user", content: [] }, { role: "user" }] }],
    ["`stream`", { stream: "yes" }],
  ])("GW-024 names %s when the body has %j", (field, over) => {
    const attempt = () => anthropicMessages.summarize({ ...body, ...over });
    expect(attempt).toThrow(field);
    expect(attempt).toThrow(expect.objectContaining({ code: "invalid_request", status: 400 }));
  });
});

describe("the native body", () => {
  it("is the client's own object, unless the model has a prefix", () => {
    expect(anthropicMessages.prepareNative(body, "gpt-4o")).toBe(body);
    expect(anthropicMessages.prepareNative(body, "other")).toEqual({ ...body, model: "other" });
  });

  it("has a cacheable prefix of tools and system, which changes with either", () => {
    const prefix = (over: object) => anthropicMessages.prefix({ ...body, ...over });
    expect(prefix({})).toBe("");
    expect(prefix({ system: "s" })).toBe(anthropicMessages.prefix({ system: "s" }));
    const different = [
      prefix({}),
      prefix({ system: "s" }),
      prefix({ tools: [] }),
      prefix({ system: "s", tools: [] }),
    ];
    expect(new Set(different).size).toBe(4);
  });
});
