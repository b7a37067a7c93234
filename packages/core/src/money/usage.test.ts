import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import {
  addUsage,
  inputKinds,
  inputTokens,
  outputKinds,
  outputTokens,
  usageKinds,
  usageOf,
} from "./usage.ts";

const anyUsage = fc
  .record(Object.fromEntries(usageKinds.map(kind => [kind, fc.nat({ max: 1_000_000 })])), {
    requiredKeys: [],
  })
  .map(usageOf);

describe("usage", () => {
  it("counts every token in exactly one kind: input kinds and output kinds do not overlap", () => {
    expect(inputKinds.filter(kind => (outputKinds as readonly string[]).includes(kind))).toEqual([]);
  });

  it("adds up kind by kind, so the order of the parts of a call does not matter", () => {
    fc.assert(
      fc.property(anyUsage, anyUsage, (a, b) => {
        const sum = addUsage(a, b);
        expect(sum).toEqual(addUsage(b, a));
        expect(inputTokens(sum)).toBe(inputTokens(a) + inputTokens(b));
        expect(outputTokens(sum)).toBe(outputTokens(a) + outputTokens(b));
      }),
    );
  });

  it("does not modify its summands", () => {
    const a = usageOf({ input: 1 });
    addUsage(a, usageOf({ input: 2 }));
    expect(a).toEqual({ input: 1 });
  });

  it("drops zeros, so that equal usages are equal records", () => {
    expect(usageOf({ input: 0, output: 3, reasoning: undefined })).toEqual({ output: 3 });
  });

  it("rejects a count that no provider can have meant", () => {
    for (const count of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => usageOf({ input: count })).toThrow(RangeError);
    }
  });

  it("does not count searches as tokens", () => {
    const searches = usageOf({ web_searches: 5, file_searches: 2 });
    expect([inputTokens(searches), outputTokens(searches)]).toEqual([0, 0]);
  });
});
