import { describe, expect, it } from "bun:test";
import { estimateTokens, estimateUsage, reserveUsage } from "./estimate.ts";

describe("an estimate of usage", () => {
  it.each([
    [0, 0],
    [1, 1],
    [4, 1],
    [5, 2],
    [4000, 1000],
  ])("takes %d bytes for %d tokens", (bytes, tokens) => {
    expect(estimateTokens(bytes)).toBe(tokens);
  });

  it("counts what was sent and what came back", () => {
    expect(estimateUsage({ promptBytes: 41, outputBytes: 8 })).toEqual({ input: 11, output: 2 });
    expect(estimateUsage({ promptBytes: 0, outputBytes: 0 })).toEqual({});
  });

  it.each([
    [null, 1000],
    [50, 50],
    [1000, 1000],
    [128_000, 1000],
    [-1, 1000],
    [0.5, 1000],
  ])("takes an answer that nobody saw, limited to %p tokens, for %d", (maxOutputTokens, output) => {
    expect(reserveUsage({ promptBytes: 8, maxOutputTokens })).toEqual({ input: 2, output });
  });

  it("takes an answer of no tokens for none", () => {
    expect(reserveUsage({ promptBytes: 8, maxOutputTokens: 0 })).toEqual({ input: 2 });
  });
});
