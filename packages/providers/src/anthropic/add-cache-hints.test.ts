import { describe, expect, it } from "bun:test";
import { addCacheHints } from "./add-cache-hints.ts";

const cache_control = { type: "ephemeral" };
const text = (said: string) => ({ type: "text", text: said });
const tool = (name: string) => ({ name, input_schema: { type: "object" } });
const user = (content: unknown) => ({ role: "user", content });
const assistant = { role: "assistant", content: "well" };

describe("addCacheHints", () => {
  for (const [what, body, marked] of [
    [
      "marks the last block of the system text and the last tool",
      { system: [text("a"), text("b")], tools: [tool("x"), tool("y")], messages: [user("q")] },
      {
        system: [text("a"), { ...text("b"), cache_control }],
        tools: [tool("x"), { ...tool("y"), cache_control }],
        messages: [user("q")],
      },
    ],
    ["turns a system text into a block", { system: "a" }, { system: [{ ...text("a"), cache_control }] }],
    [
      "skips an empty last block",
      { system: [text("a"), text(" ")] },
      { system: [{ ...text("a"), cache_control }, text(" ")] },
    ],
    [
      "skips a tool with deferred loading",
      { tools: [tool("x"), { ...tool("y"), defer_loading: true }] },
      {
        tools: [
          { ...tool("x"), cache_control },
          { ...tool("y"), defer_loading: true },
        ],
      },
    ],
    [
      "without either, marks the user's last message before the newest",
      { messages: [user("old"), assistant, user("new")] },
      { messages: [user([{ ...text("old"), cache_control }]), assistant, user("new")] },
    ],
    [
      "marks the block before the newest of a single message",
      { messages: [user([text("a book"), text("a question")])] },
      { messages: [user([{ ...text("a book"), cache_control }, text("a question")])] },
    ],
    [
      "marks the newest user message if an answer is prefilled",
      { messages: [user("q"), assistant] },
      { messages: [user([{ ...text("q"), cache_control }]), assistant] },
    ],
  ] as const) {
    it(what, () => expect(addCacheHints(body)).toEqual(marked));
  }

  for (const [what, body] of [
    ["nothing repeated", { messages: [user("q")] }],
    ["only blank text", { system: " ", tools: [], messages: [user([text("q")])] }],
    ["a mark of its own at the top", { cache_control, system: "a" }],
    ["a mark in the system text", { system: [{ ...text("a"), cache_control }, text("b")] }],
    ["one on a tool", { system: "a", tools: [{ ...tool("x"), cache_control }] }],
    ["a mark in a message", { system: "a", messages: [user([{ ...text("q"), cache_control }])] }],
    [
      "a mark within a tool's result",
      {
        system: "a",
        messages: [user([{ type: "tool_result", content: [{ ...text("r"), cache_control }] }])],
      },
    ],
    [
      "a number that re-encoding would round",
      { system: "a", messages: [user([{ type: "tool_use", input: { order: 2 ** 60 } }])] },
    ],
    ["malformed fields", { system: 5, tools: "x", messages: {} }],
  ] as const) {
    it(`does not change a prompt with ${what}`, () => expect(addCacheHints(body)).toBe(body));
  }
});
