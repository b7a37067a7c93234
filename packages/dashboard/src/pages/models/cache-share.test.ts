import { describe, expect, it } from "bun:test";
import { cacheShareOf } from "./cache-share.ts";

describe("the share of the input cost that came from a cache", () => {
  it("counts what was read, of everything that went in", () => {
    expect(cacheShareOf({ input: 500, cache_read: 100, cache_write: 400 })).toBe(0.1);
  });

  it("is unknown where the input cost nothing", () => {
    expect(cacheShareOf({ input: 0, cache_read: 0, cache_write: 0 })).toBeNull();
    expect(cacheShareOf(null)).toBeNull();
  });
});
