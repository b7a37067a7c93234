import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { spliceFields } from "./splice-fields.ts";

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const splice = (text: string, after: Record<string, unknown>) => {
  const before: Record<string, unknown> = JSON.parse(text);
  // Like callers: unchanged values are identical.
  const same = Object.entries(after).map(([name, value]) => [
    name,
    Bun.deepEquals(before[name], value) && name in before ? before[name] : value,
  ]);
  return Buffer.from(spliceFields(bytesOf(text), before, Object.fromEntries(same))).toString();
};

describe("spliceFields", () => {
  for (const [what, text, after, expected] of [
    [
      "a changed one, in its place",
      '{ "a" : 1 , "model":"x", "z":2}',
      { a: 1, model: "y", z: 2 },
      '{"a" : 1,"model":"y","z":2}',
    ],
    ["a removed one", '{"a":1,"b":[1,{"c":"}"}],"d":2}', { a: 1, d: 2 }, '{"a":1,"d":2}'],
    ["the first removed", '{"a":1,"d":2}', { d: 2 }, '{"d":2}'],
    ["all removed", '{"a":1}', {}, "{}"],
    ["an added one, in front", '{"a":1}', { a: 1, b: true }, '{"b":true,"a":1}'],
    ["an added one alone", " { } ", { b: true }, ' {"b":true } '],
    [
      "renamed",
      '{"x":1,"max_tokens": 5 }',
      { x: 1, max_completion_tokens: 5 },
      '{"max_completion_tokens":5,"x":1 }',
    ],
    ["a name written with escapes", '{"mod\\u0065l":"x"}', { model: "y" }, '{"mod\\u0065l":"y"}'],
    [
      "a duplicate one",
      '{"model":"a","model":"b","c":1}',
      { model: "y", c: 1 },
      '{"model":"y","model":"y","c":1}',
    ],
  ] as const) {
    it(what, () => expect(splice(text, after)).toBe(expected));
  }

  it("keeps numbers that no parser of ours could represent, and their notation", () => {
    const text = '{"seed":123456789012345678901,"t":1.50,"u":"\\u00e4\\/","model":"x"}';
    expect(splice(text, { ...JSON.parse(text), model: "y" })).toBe(text.replace('"x"', '"y"'));
  });

  it("returns the same bytes if nothing changes", () => {
    const bytes = bytesOf('{"a":1}');
    const before = { a: 1 };
    expect(spliceFields(bytes, before, before)).toBe(bytes);
    expect(spliceFields(bytes, before, { ...before })).toBe(bytes);
  });

  it("decodes to the changed fields, for any body and spacing", () => {
    const names = fc.constantFrom("model", "max_tokens", "system", "a b", 'q"', "ä", "__proto");
    const body = fc.dictionary(names, fc.jsonValue());
    fc.assert(
      fc.property(body, body, fc.constantFrom(0, 1, "\t"), (before, after, space) => {
        const text = JSON.stringify(before, null, space);
        const spliced = spliceFields(bytesOf(text), JSON.parse(text), after);
        expect(JSON.parse(Buffer.from(spliced).toString())).toEqual(JSON.parse(JSON.stringify(after)));
      }),
    );
  });
});
