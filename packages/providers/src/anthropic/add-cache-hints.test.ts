import { describe, expect, it } from "bun:test";
import { addCacheHints } from "./add-cache-hints.ts";

const cache_control = { type: "ephemeral" };
const text = (said: string) => ({ type: "text", text: said });
const tool = (name: string) => ({ name, input_schema: { type: "object" } });
const user = (content: unknown) => ({ role: "user", content });
const assistant = { role: "assistant", content: "well" };

describe("marks for anthropic's cache", () => {
  for (const [what, body, marked] of [
    [
      "stand on the last block of the system text and on the last tool",
      { system: [text("a"), text("b")], tools: [tool("x"), tool("y")], messages: [user("q")] },
      {
        system: [text("a"), { ...text("b"), cache_control }],
        tools: [tool("x"), { ...tool("y"), cache_control }],
        messages: [user("q")],
      },
    ],
    ["turn a system text into a block", { system: "a" }, { system: [{ ...text("a"), cache_control }] }],
    [
      "pass over an empty last block",
      { system: [text("a"), text(" ")] },
      { system: [{ ...text("a"), cache_control }, text(" ")] },
    ],
    [
      "pass over a tool that is loaded later",
      { tools: [tool("x"), { ...tool("y"), defer_loading: true }] },
      {
        tools: [
          { ...tool("x"), cache_control },
          { ...tool("y"), defer_loading: true },
        ],
      },
    ],
    [
      "stand on the user's last words but the newest, where there is neither",
      { messages: [user("old"), assistant, user("new")] },
      { messages: [user([{ ...text("old"), cache_control }]), assistant, user("new")] },
    ],
    [
      "stand before the newest block of a single message",
      { messages: [user([text("a book"), text("a question")])] },
      { messages: [user([{ ...text("a book"), cache_control }, text("a question")])] },
    ],
    [
      "stand on the newest message of the user, where an answer is begun already",
      { messages: [user("q"), assistant] },
      { messages: [user([{ ...text("q"), cache_control }]), assistant] },
    ],
  ] as const) {
    it(what, () => expect(addCacheHints(body)).toEqual(marked));
  }

  for (const [what, body] of [
    ["nothing that repeats", { messages: [user("q")] }],
    ["only blank text", { system: " ", tools: [], messages: [user([text("q")])] }],
    ["a mark of its own at the top", { cache_control, system: "a" }],
    ["one in the system text", { system: [{ ...text("a"), cache_control }, text("b")] }],
    ["one on a tool", { system: "a", tools: [{ ...tool("x"), cache_control }] }],
    ["one in a message", { system: "a", messages: [user([{ ...text("q"), cache_control }])] }],
    [
      "one within a tool's result",
      {
        system: "a",
        messages: [user([{ type: "tool_result", content: [{ ...text("r"), cache_control }] }])],
      },
    ],
    [
      "a number that would be rounded when it is written again",
      { system: "a", messages: [user([{ type: "tool_use", input: { order: 2 ** 60 } }])] },
    ],
    ["what is no list at all", { system: 5, tools: "x", messages: {} }],
  ] as const) {
    it(`leave a prompt as it is that has ${what}`, () => expect(addCacheHints(body)).toBe(body));
  }
});
