import { describe, expect, it } from "bun:test";
import { estimateTokens, estimateUsage, tokensWritten, unseenTokens } from "./estimate.ts";

describe("an estimate of usage", () => {
  it.each([
    [0, 0],
    [1, 1],
    [4, 1],
    [5, 2],
    [4000, 1000],
  ])("counts %d bytes as %d tokens", (bytes, tokens) => {
    expect(estimateTokens(bytes)).toBe(tokens);
  });

  it("counts the prompt and the answer", () => {
    expect(estimateUsage({ promptBytes: 41, outputBytes: 8 })).toEqual({ input: 11, output: 2 });
    expect(estimateUsage({ promptBytes: 0, outputBytes: 0 })).toEqual({});
  });

  it.each([
    [0, 100, 5000, 0],
    [1, 100, 5000, 1],
    [30_000, 100, 5000, 3000],
    [90_000, 100, 5000, 5000],
    [-5, 100, 5000, 0],
  ])("MON-019 counts %d ms at %d tokens a second, at most %d, as %d tokens", (ms, pace, bound, tokens) => {
    expect(tokensWritten(ms, pace, bound)).toBe(tokens);
  });

  it.each([
    [128_000, 1, 1000],
    [50, 1, 50],
    [0, 1, 0],
    [256_000, 2, 2000],
    [100, 2, 100],
  ])("counts unseen output of at most %d tokens in %d answers as %d", (bound, choices, tokens) => {
    expect(unseenTokens(bound, choices)).toBe(tokens);
  });
});
