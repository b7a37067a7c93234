import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { countTokens } from "./count-tokens.ts";
import { planAnswer } from "./plan-answer.ts";
import type { Prompt } from "./prompt.ts";
import { splitJson, splitText } from "./split-fragments.ts";

const plain: Prompt = {
  model: "m",
  inputTokens: 10,
  lastUserText: "What is the weather in Paris?",
  toolResults: null,
  endsWithUser: true,
  tools: [],
  toolChoice: "auto",
  parallelCalls: true,
  speaksBeforeCalls: false,
  format: { kind: "text" },
  maxOutputTokens: null,
  stop: [],
  effort: null,
};
const tools = ["one", "two", "three"].map(name => ({
  name,
  schema: { type: "object", properties: { city: { type: "string" } } },
}));

describe("planAnswer", () => {
  it("composes an answer that depends on the prompt, and counts four bytes per token", () => {
    const plan = planAnswer(plain);
    expect(plan).toEqual(planAnswer(plain));
    expect(plan.text).toContain(plain.lastUserText);
    expect(plan.visibleTokens).toBe(countTokens(plan.text));
    expect(plan.finish).toBe("stop");
  });

  it("never exceeds the limit, including thinking, and finishes with `length` if and only if it was cut", () => {
    const effort = fc.constantFrom(null, "low" as const, "max" as const);
    fc.assert(
      fc.property(
        fc.nat(120),
        effort,
        fc.string({ unit: "grapheme" }),
        (maxOutputTokens, effort, lastUserText) => {
          const free = planAnswer({ ...plain, effort, lastUserText });
          const plan = planAnswer({ ...plain, effort, lastUserText, maxOutputTokens });
          const wanted = free.reasoningTokens + free.visibleTokens;
          expect(plan.reasoningTokens + plan.visibleTokens).toBeLessThanOrEqual(maxOutputTokens);
          expect(plan.finish === "length").toBe(
            maxOutputTokens < wanted || maxOutputTokens === free.reasoningTokens,
          );
          expect(free.text.startsWith(plan.text)).toBe(true);
        },
      ),
    );
  });

  it("stops before the first of the stop sequences", () => {
    const plan = planAnswer({ ...plain, stop: ["never there", "weather in", "Paris"] });
    expect(plan.text.endsWith("What is the ")).toBe(true);
    expect([plan.finish, plan.stopSequence]).toEqual(["stop_sequence", "weather in"]);
  });

  it.each([
    ["two tools at once when it may", {}, ["one", "two"]],
    ["one tool when parallel calls are off", { parallelCalls: false }, ["one"]],
    ["the forced tool alone", { toolChoice: { name: "three" } }, ["three"]],
    ["nothing when told so", { toolChoice: "none" }, []],
    ["nothing once the results are there", { endsWithUser: false, toolResults: ["18 degrees"] }, []],
  ] as [string, Partial<Prompt>, string[]][])("calls %s", (_, change, names) => {
    const plan = planAnswer({ ...plain, tools, ...change });
    expect(plan.calls.map(call => call.name)).toEqual(names);
    expect(plan.calls.every(call => call.arguments.city === "Paris")).toBe(true);
    expect(plan.finish).toBe(names.length > 0 ? "tool_calls" : "stop");
  });

  it("answers tool results with their text", () => {
    expect(planAnswer({ ...plain, endsWithUser: false, toolResults: ["18 degrees"] }).text).toContain(
      "18 degrees",
    );
  });
});

describe("fragments", () => {
  it("concatenate to the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 5 }), (text, words) => {
        expect(splitText(text, words).join("")).toBe(text);
        expect(splitJson(text).join("")).toBe(text);
      }),
    );
  });
});
