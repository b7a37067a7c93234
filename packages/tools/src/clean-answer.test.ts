import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { cleanAnswer } from "./clean-answer.ts";

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

describe("cleanAnswer", () => {
  it("keeps numbers, booleans and null, and removes undefined values", () => {
    expect(cleanAnswer({ a: 1, b: true, c: null, d: undefined, e: [0.5, false] })).toEqual({
      a: 1,
      b: true,
      c: null,
      e: [0.5, false],
    });
  });

  it("TOOL-012 no text or name at any depth has control, bidi or invisible characters, or is too long", () => {
    const text = fc.string({ unit: "binary", maxLength: 1500 });
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(text, fc.array(text, { maxLength: 3 }), { maxKeys: 3 }), { maxLength: 3 }),
        value => {
          for (const piece of textsOf(cleanAnswer(value))) {
            expect(piece).not.toMatch(unseen);
            expect([...piece].length).toBeLessThanOrEqual(1000);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...textsOf(inner),
  ]);
}
