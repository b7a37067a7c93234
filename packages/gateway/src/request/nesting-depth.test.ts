import { describe, expect, it } from "bun:test";
import { isNestedDeeperThan } from "./nesting-depth.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (depth: number) => bytes("[".repeat(depth) + "]".repeat(depth));

describe("isNestedDeeperThan", () => {
  it("accepts the limit and rejects one level more", () => {
    expect(isNestedDeeperThan(256, nested(256))).toBe(false);
    expect(isNestedDeeperThan(256, nested(257))).toBe(true);
    expect(isNestedDeeperThan(256, bytes('{"a":'.repeat(300)))).toBe(true);
  });

  it("counts depth, not brackets", () => {
    expect(isNestedDeeperThan(256, bytes(`[${"[],".repeat(1000)}[]]`))).toBe(false);
  });

  it("ignores brackets in strings, even after escaped quotes", () => {
    const text = JSON.stringify({ text: `${'["\\'.repeat(1000)}` });
    expect(isNestedDeeperThan(256, bytes(text))).toBe(false);
  });
});
