import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { parseExactly } from "../../wire/exact-json.ts";
import { sameJson } from "./same-json.ts";

describe("two JSON values", () => {
  it.each([
    [1, 1 + 1e-10],
    [1e9 + 0.25, 1e9 + 0.5],
    [
      { a: 1, b: [2] },
      { b: [2.0000000001], a: 1 },
    ],
    [null, null],
  ])("are the same: %p and %p", (a, b) => {
    expect(sameJson(a, b, 1e-9)).toBe(true);
  });

  it.each<[unknown, unknown]>([
    [1, 1.000001],
    [1, "1"],
    [1_000_000_001, 1_000_000_002],
    [parseExactly("[1234567890123456789]"), parseExactly("[1234567890123456788]")],
    [parseExactly("[1234567890123456789]"), [Number("1234567890123456789")]],
    [0, false],
    [null, {}],
    [[], {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 1]],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: undefined }, { b: 1 }],
    [JSON.parse('{"__proto__": 1}'), {}],
  ])("are not the same: %p and %p", (a, b) => {
    expect(sameJson(a, b, 1e-9)).toBe(false);
    expect(sameJson(b, a, 1e-9)).toBe(false);
  });

  it("are the same if their texts are", () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(sameJson(value, structuredClone(value), 1e-9)).toBe(true);
      }),
    );
  });

  it("are compared only to a limited depth", () => {
    const deep = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`);
    expect(sameJson(deep, structuredClone(deep), 1e-9)).toBe(false);
  });
});
