import { describe, expect, it } from "bun:test";
import { cpuTimeMs } from "../../../../test/support/cpu-time.ts";
import { budgetPromptBound } from "./prompt-bound.ts";

const messages = [{ role: "user", content: "hello" }];
const image = (url: string) => ({
  messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
});
const said = (...content: object[]) => ({ messages: [{ role: "user", content }] });
const base64 = { type: "base64", media_type: "image/png", data: "AAAA" };

describe("the maximum size of a prompt, in tokens", () => {
  for (const [what, body, bound] of [
    ["one token per byte", { messages }, 50],
    ["what a provider adds for tools", { messages, tools: [] }, 1050],
    [
      "a client tool with a prompt and a link as parameters",
      { messages, tools: [{ type: "function", function: { parameters: { prompt: {}, url: {} } } }] },
      1050,
    ],
    ["a tool of the provider", { messages, tools: [{ type: "web_search_20250305" }] }, 8000],
    ["a picture that is in it", image("data:image/png;base64,AAAA"), 8000],
    ["inline audio", said({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }), 8000],
    ["a file that is in it", said({ type: "file", file: { file_data: "data:a/b;base64,AAAA" } }), 8000],
    ["anthropic's image", said({ type: "text", text: "see" }, { type: "image", source: base64 }), 8000],
    ["anthropic's document", said({ type: "document", source: base64 }), 8000],
    [
      "an image in a tool result",
      said({ type: "tool_result", tool_use_id: "t", content: [{ type: "image", source: base64 }] }),
      8000,
    ],
    ["google's picture", { contents: [{ parts: [{ inlineData: { data: "AAAA" } }] }] }, 8000],
    [
      "an image for the Responses API",
      {
        input: [{ role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AA" }] }],
      },
      8000,
    ],
    [
      "an image in a function's output",
      { input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_image" }] }] },
      8000,
    ],
    ["a part of a kind that is not known", said({ type: "hologram", data: "AAAA" }), 8000],
    ["a stored item", { input: [{ type: "item_reference", id: "msg_1" }] }, 8000],
    ["a stored thought", { input: [{ type: "reasoning", id: "rs_1", summary: [] }] }, 8000],
    [
      "inline reasoning",
      { input: [{ type: "reasoning", summary: [{ type: "summary_text" }], encrypted_content: "x" }] },
      50,
    ],
    ["an earlier audio answer", { messages: [{ role: "assistant", audio: { id: "a" } }] }, 8000],
    ["a voice to answer with", { messages, audio: { voice: "alloy", format: "wav" } }, 50],
    [
      "text parts only",
      {
        system: [{ type: "text", text: "be kind" }],
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "t", input: { type: "image" } }] },
          { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "x" }] }] },
        ],
      },
      50,
    ],
    [
      "a response schema with properties named image and content",
      {
        messages,
        response_format: {
          schema: { properties: { image_url: { type: "string" }, content: { type: "array" } } },
        },
      },
      50,
    ],
    ["a picture that is elsewhere", image("https://example.com/a.png"), 8000],
    ["a stored file", { input: [{ type: "input_file", file_id: "file-1" }] }, 8000],
    ["an earlier answer", { input: "go on", previous_response_id: "resp_1" }, 8000],
    ["a conversation that is null", { input: "go on", conversation: null }, 50],
  ] as const) {
    it(`BUD-017 ${what}: ${bound}`, () => {
      expect(budgetPromptBound(body, 50, 8000)).toBe(bound);
    });
  }

  it("BUD-017 is at most the model's window, or the largest existing window if it is unknown", () => {
    expect(budgetPromptBound({ messages }, 1_000_000, 8000)).toBe(8000);
    expect(budgetPromptBound(image("https://example.com/a.png"), 50, null)).toBe(2_000_000);
  });

  for (const [what, input] of [
    ["numbers", () => new Array<number>(5_000_000).fill(1)],
    ["empty lists", () => Array.from({ length: 2_500_000 }, () => [])],
    ["empty objects", () => Array.from({ length: 2_500_000 }, () => ({}))],
  ] as const) {
    it(`does not block the gateway on millions of ${what}`, async () => {
      const body = { model: "m", input: input() };
      const spentMs = await cpuTimeMs(() => expect(budgetPromptBound(body, 10_000_000, 8000)).toBe(8000));
      // With an entry for each element it took seconds.
      expect(spentMs).toBeLessThan(2000);
    });
  }

  it("finds a part that is not text after any number of texts", () => {
    const part = { type: "text", text: "x" };
    const last = { role: "user", content: [part, [], part, { type: "image" }] };
    const many = Array.from({ length: 1000 }, () => ({ role: "user", content: [part] }));
    expect(budgetPromptBound({ messages: [...many, last] }, 50, 8000)).toBe(8000);
    expect(budgetPromptBound({ messages: [last, ...many] }, 50, 8000)).toBe(8000);
    expect(budgetPromptBound({ messages: many }, 50, 8000)).toBe(50);
  });

  it("handles deep nesting", () => {
    let deep: unknown[] = [];
    for (let level = 0; level < 1_000_000; level++) deep = [deep];
    expect(budgetPromptBound({ messages, deep }, 50, 8000)).toBe(50);
  });
});
