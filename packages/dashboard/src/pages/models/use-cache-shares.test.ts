import { describe, expect, it } from "bun:test";
import { cacheShareOf } from "./use-cache-shares.ts";

const kind = (key: string, cost_microcents: number) => ({ key, cost_microcents });

describe("the share of the input cost that came from a cache", () => {
  it("counts what was read, of everything that went in", () => {
    const groups = [
      kind("input", 500),
      kind("cache_read", 100),
      kind("cache_write", 400),
      kind("output", 9000),
    ];
    expect(cacheShareOf(groups)).toBe(0.1);
  });

  it("is unknown where the input cost nothing", () => {
    expect(cacheShareOf([kind("output", 5)])).toBeNull();
  });
});
