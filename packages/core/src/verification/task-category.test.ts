import { describe, expect, it } from "bun:test";
import type { TaskCategory } from "../event.ts";
import type { ComparedRequest } from "./compared-call.ts";
import { taskCategory } from "./task-category.ts";

const asked = (text: string, rest: Partial<ComparedRequest> = {}): ComparedRequest => ({
  turns: [
    { role: "system", text: "You are helpful." },
    { role: "user", text },
  ],
  tools: [],
  toolChoice: { mode: "auto" },
  output: { kind: "text" },
  maxOutputTokens: null,
  ...rest,
});

const tools = [{ name: "search", parameters: null }];

describe("the category of a task", () => {
  it.each<[TaskCategory, ComparedRequest]>([
    ["structured", asked("Summarize this", { output: { kind: "json" } })],
    ["structured", asked("x", { tools, output: { kind: "schema", schema: {} } })],
    ["tool_use", asked("Summarize this", { tools })],
    ["summarization", asked("Summarize this", { tools, toolChoice: { mode: "none" } })],
    ["classification", asked("Classify the ticket below.")],
    ["classification", asked("Is the sentiment positive? Answer yes or no.")],
    ["classification", asked("Spam?", { maxOutputTokens: 1 })],
    ["code", asked("Write a small Python function that adds two numbers.")],
    ["code", asked("What does this do?\n```js\nx()\n```")],
    ["summarization", asked("Give me the key points of the meeting.")],
    ["summarization", asked(`${"words ".repeat(2000)}\nTL;DR please`)],
    ["open_ended", asked("Tell me about the sea.")],
    ["open_ended", asked(`${"words ".repeat(2000)} summarize ${"words ".repeat(2000)}`)],
    ["open_ended", { ...asked(""), turns: [] }],
    [
      "classification",
      { ...asked("It broke."), turns: [{ role: "system", text: "Categorise each message." }] },
    ],
  ])("is %s", (category, request) => {
    expect(taskCategory(request)).toBe(category);
  });
});
