import { describe, expect, it } from "bun:test";
import type { ComparedAnswer, ComparedOutput, ComparedRequest, ComparedToolCall } from "../compared-call.ts";
import { gradeControl, gradePair } from "./grade-pair.ts";

const asked: ComparedRequest = {
  turns: [{ role: "user", text: "Is it raining?" }],
  tools: [],
  toolChoice: { mode: "auto" },
  output: { kind: "text" },
  maxOutputTokens: null,
};

const tools = [
  {
    name: "weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "number" } },
      required: ["city"],
    },
  },
  { name: "now", parameters: null },
];

const failed: ComparedAnswer = { kind: "failed" };
const refused: ComparedAnswer = { kind: "refused" };
const said = (text: string): ComparedAnswer => ({ kind: "given", text, toolCalls: [] });
const called = (...toolCalls: ComparedToolCall[]): ComparedAnswer => ({ kind: "given", text: "", toolCalls });
const call = (name: string, args: unknown): ComparedToolCall => ({ name, arguments: JSON.stringify(args) });

const withTools: ComparedRequest = { ...asked, tools };
const mustCall: ComparedRequest = { ...withTools, toolChoice: { mode: "required" } };
const mustCallNow: ComparedRequest = { ...withTools, toolChoice: { mode: "tool", name: "now" } };
const withOutput = (output: ComparedOutput): ComparedRequest => ({ ...asked, output });
const json = withOutput({ kind: "json" });
const schema = withOutput({
  kind: "schema",
  schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
});
const pattern = withOutput({ kind: "schema", schema: { type: "string", pattern: "^a" } });

describe("a pair is graded by rules", () => {
  it.each<[string, ComparedRequest, ComparedAnswer, ComparedAnswer, number, string]>([
    ["the candidate failed", asked, said("yes"), failed, -1, "failure"],
    ["the candidate refused", asked, said("yes"), refused, -1, "failure"],
    ["the candidate is empty", asked, said("yes"), said(" \n"), -1, "failure"],
    ["production refused", asked, refused, said("yes"), 1, "failure"],
    ["production is empty", asked, said(""), said("yes"), 1, "failure"],
    ["both refused", asked, refused, refused, 0, "failure"],
    ["production refused, the candidate failed", asked, refused, failed, 0, "failure"],
    ["a call is no empty answer", withTools, called(call("now", {})), said(""), -1, "failure"],

    ["JSON against prose", json, said('{"a":1}'), said("Sure! {}"), -1, "validity"],
    ["prose against JSON", json, said("```json\n{}\n```"), said("{}"), 1, "validity"],
    ["cut off in the middle", json, said('{"a":1}'), said('{"a":'), -1, "validity"],
    ["not of the schema", schema, said('{"n":1}'), said('{"n":"1"}'), -1, "validity"],
    ["of the schema", schema, said("[]"), said('{"n":1}'), 1, "validity"],
    ["no such tool", withTools, called(call("now", {})), called(call("then", {})), -1, "validity"],
    [
      "arguments with a missing field",
      withTools,
      called(call("weather", { city: "x" })),
      called(call("weather", {})),
      -1,
      "validity",
    ],
    [
      "arguments that are not JSON",
      withTools,
      called({ name: "now", arguments: "{" }),
      called(call("now", {})),
      1,
      "validity",
    ],
    ["no call where one is demanded", mustCall, called(call("now", {})), said("noon"), -1, "validity"],
    [
      "a call of another tool than required",
      mustCallNow,
      called(call("now", {})),
      called(call("weather", { city: "x" })),
      -1,
      "validity",
    ],
    [
      "a call where none is allowed",
      { ...withTools, toolChoice: { mode: "none" } },
      said("noon"),
      called(call("now", {})),
      -1,
      "validity",
    ],

    ["the same text", asked, said("It is.\n"), said(" It is."), 0, "equality"],
    ["but for case, space and punctuation", asked, said("**Yes.**"), said("yes"), 0, "equality"],
    ["but for a bracket around a choice", asked, said("(B)"), said("b"), 0, "equality"],
    ["the same JSON", schema, said('{"n":1,"x":2}'), said('{"x":2, "n":1.0000000000001}'), 0, "equality"],
    [
      "the same calls in another order",
      withTools,
      called(call("now", {}), call("weather", { city: "x", days: 1 })),
      called(call("weather", { days: 1.0, city: "x" }), call("now", {})),
      0,
      "equality",
    ],
    [
      "the same call with other words around it",
      withTools,
      { kind: "given", text: "Let me look.", toolCalls: [call("now", {})] },
      called(call("now", {})),
      0,
      "equality",
    ],
  ])("%s", (_, request, production, candidate, score, grader) => {
    expect(gradePair(request, production, candidate)).toEqual({ kind: "graded", score, grader } as never);
  });

  it.each<[string, ComparedRequest, ComparedAnswer, ComparedAnswer]>([
    ["other words", asked, said("Yes"), said("No")],
    ["a sign", asked, said("-5"), said("5")],
    ["a character that names something", asked, said("C#"), said("C")],
    ["signs alone", asked, said("[]"), said("{}")],
    ["a long text in another case", asked, said("a ".repeat(200)), said("A ".repeat(200))],
    ["text instead of an optional call", withTools, called(call("now", {})), said("noon")],
    [
      "other arguments",
      withTools,
      called(call("weather", { city: "x" })),
      called(call("weather", { city: "y" })),
    ],
    [
      "the next id, which has more digits than a number",
      withTools,
      called({ name: "now", arguments: '{"id":1234567890123456789}' }),
      called({ name: "now", arguments: '{"id":1234567890123456788}' }),
    ],
    ["fewer calls", withTools, called(call("now", {}), call("now", {})), called(call("now", {}))],
    ["both invalid", json, said("one"), said("two")],
    ["a schema that is not evaluated", pattern, said('"a"'), said("1")],
    ["JSON where text was requested", asked, said('{"a": 1}'), said('{"a": 1.0}')],
  ])("and left to the judge otherwise: %s", (_, request, production, candidate) => {
    const grading = gradePair(request, production, candidate);
    expect(grading.kind).toBe("ask_judge");
  });

  it("does not count if the production model itself failed", () => {
    expect(gradePair(asked, failed, said("yes"))).toEqual({ kind: "no_pair" });
    expect(gradePair(asked, failed, failed)).toEqual({ kind: "no_pair" });
  });

  it("is not a control if either answer failed, and is otherwise graded like any other", () => {
    expect(gradeControl(asked, failed, said("yes"))).toEqual({ kind: "no_pair" });
    expect(gradeControl(asked, said("yes"), failed)).toEqual({ kind: "no_pair" });
    expect(gradeControl(asked, said("yes"), refused)).toEqual(gradePair(asked, said("yes"), refused));
    expect(gradeControl(asked, said("yes"), said("no"))).toEqual({ kind: "ask_judge" });
  });

  it("does not favour a side: swapped answers have the opposite score", () => {
    const answers = [said("{}"), said("x"), said('{"n":1}'), said(""), refused, called(call("now", {}))];
    for (const request of [asked, json, schema, withTools, mustCall]) {
      for (const a of answers) {
        for (const b of answers) {
          const [there, back] = [gradePair(request, a, b), gradePair(request, b, a)];
          expect(back.kind).toBe(there.kind);
          if (there.kind === "graded" && back.kind === "graded") expect(there.score + back.score).toBe(0);
        }
      }
    }
  });
});
