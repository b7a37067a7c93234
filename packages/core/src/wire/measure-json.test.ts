import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { measureJson } from "./measure-json.ts";

const sizeOf = (text: string) => measureJson(new TextEncoder().encode(text));

/** Counted on the parsed value. */
function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  return Math.max(inner.length, 1) + inner.reduce<number>((sum, each) => sum + valuesIn(each), 0);
}

describe("measureJson", () => {
  it("tells how deep it is nested, complete or not", () => {
    expect(sizeOf("[".repeat(256) + "]".repeat(256)).depth).toBe(256);
    expect(sizeOf('{"a":'.repeat(300)).depth).toBe(300);
    expect(sizeOf(`[${"[],".repeat(1000)}[]]`).depth).toBe(2);
  });

  it("ignores texts, even after escaped quotes", () => {
    expect(sizeOf(JSON.stringify({ text: '["\\,'.repeat(1000) }))).toEqual({ depth: 1, values: 1 });
  });

  it("counts the values that parsing creates", () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 6 }), value => {
        const text = JSON.stringify(value);
        expect(sizeOf(text).values).toBe(valuesIn(JSON.parse(text)));
      }),
    );
  });
});
