import { describe, expect, it } from "bun:test";
import { TollgateError } from "@tollgate/core/errors";
import { cpuTimeMs } from "../../../../../test/support/cpu-time.ts";
import { parseBody } from "./parse-body.ts";
import { MAX_VALUES, refuseUnsafe } from "./refuse-unsafe.ts";

function refusal(json: string): TollgateError | null {
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null) throw new Error("no object");
  try {
    refuseUnsafe(value);
    return null;
  } catch (fault) {
    if (fault instanceof TollgateError) return fault;
    throw fault;
  }
}

const listOf = (item: string, count: number) => `[${`${item},`.repeat(count - 1)}${item}]`;
const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;

describe("refuseUnsafe", () => {
  for (const [what, json, sentence] of [
    ["a poisonous name", '{"__proto__":1}', "__proto__ is not allowed as a name"],
    ["one deep inside", '{"a":[{"b":[{"constructor":1}]}]}', "constructor is not allowed as a name"],
    ["NUL in a text of a list", '{"a":["b","\\u0000"]}', "a contains a NUL character"],
    ["NUL in a name", '{"a":{"\\u0000":1}}', "a name contains a NUL character"],
    ["half of a character in a text", '{"a":{"b":"c\\ud800"}}', "a.b contains half of a character"],
    ["half of a character in a list", '["a\\ud800"]', "a text contains half of a character"],
    ["half of a character in a name", '{"a":{"\\udc00":1}}', "a name contains half of a character"],
    ["65 levels", nested(65), "the body is nested deeper than 64 levels"],
    ["a value too many", `{"a":${listOf("0", MAX_VALUES)}}`, "the body holds more than 100,000 values"],
    [
      "many small lists",
      `{"a":${listOf("[0,0,0]", MAX_VALUES / 4)}}`,
      "the body holds more than 100,000 values",
    ],
    [
      "many names",
      JSON.stringify(Object.fromEntries(Array.from({ length: MAX_VALUES + 1 }, (_, at) => [`n${at}`, 0]))),
      "the body holds more than 100,000 values",
    ],
  ] as const) {
    it(`refuses ${what} with a sentence`, () => {
      expect(refusal(json)).toMatchObject({ code: "invalid_request", status: 400, message: sentence });
    });
  }

  for (const [what, json] of [
    ["an empty object", "{}"],
    ["64 levels", nested(64)],
    ["as many values as there may be", `{"a":${listOf("0", MAX_VALUES - 1)}}`],
    ["a character of two halves", '{"a":"\\ud83d\\ude00"}'],
    ["poisonous words as texts", '{"a":["__proto__"],"b":"constructor"}'],
  ] as const) {
    it(`accepts ${what}`, () => expect(refusal(json)).toBeNull());
  }

  for (const [what, item, count] of [
    ["5 million numbers", "0", 5_000_000],
    ["2.5 million empty lists", "[]", 2_500_000],
    ["2.5 million empty objects", "{}", 2_500_000],
  ] as const) {
    it(`does not walk ${what}`, async () => {
      const value: object = JSON.parse(`{"a":{"b":${listOf(item, count)}}}`);
      const spentMs = await cpuTimeMs(() =>
        expect(() => refuseUnsafe(value)).toThrow("more than 100,000 values"),
      );
      expect(spentMs).toBeLessThan(300);
    });
  }
});

it("parseBody refuses millions of values before they are parsed", () => {
  const body = new TextEncoder().encode(`{"metadata":{"a":${listOf("0", 5_000_000)}}`);
  expect(() => parseBody(body)).toThrow("the body holds more than 100,000 values");
});
