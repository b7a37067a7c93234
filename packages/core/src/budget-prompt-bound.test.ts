import { describe, expect, it } from "bun:test";
import { budgetPromptBound } from "./budget-prompt-bound.ts";

const messages = [{ role: "user", content: "hello" }];
const image = (url: string) => ({
  messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
});

describe("the most that a prompt can be, in tokens", () => {
  for (const [what, body, bound] of [
    ["a byte a token", { messages }, 50],
    ["what a provider adds for tools", { messages, tools: [] }, 1050],
    [
      "a tool of the client that takes a prompt and a link",
      { messages, tools: [{ type: "function", function: { parameters: { prompt: {}, url: {} } } }] },
      1050,
    ],
    ["a tool of the provider", { messages, tools: [{ type: "web_search_20250305" }] }, 8000],
    ["a picture that is in it", image("data:image/png;base64,AAAA"), 50],
    ["a picture that is elsewhere", image("https://example.com/a.png"), 8000],
    ["a stored file", { input: [{ type: "input_file", file_id: "file-1" }] }, 8000],
    ["an earlier answer", { input: "go on", previous_response_id: "resp_1" }, 8000],
    ["a conversation that is null", { input: "go on", conversation: null }, 50],
  ] as const) {
    it(`BUD-017 ${what}: ${bound}`, () => {
      expect(budgetPromptBound(body, 50, 8000)).toBe(bound);
    });
  }

  it("BUD-017 is the model's window where more was sent, and the largest there is where none is known", () => {
    expect(budgetPromptBound({ messages }, 1_000_000, 8000)).toBe(8000);
    expect(budgetPromptBound(image("https://example.com/a.png"), 50, null)).toBe(2_000_000);
  });
});
