import { describe, expect, it } from "bun:test";
import { modelFamily } from "./model-traits.ts";

describe("modelFamily", () => {
  it.each([
    ["gemini-2.5-pro", 205, "pro", true],
    ["gemini-2.5-flash-lite-preview-09-2025", 205, "flash-lite", true],
    ["gemini-2.0-flash-001", 200, "flash", true],
    ["models/gemini-3-pro-preview", 300, "pro", true],
    ["gemini-3.8-flash", 308, "flash", true],
    ["gemini-4", 400, "other", true],
    ["gemini-flash-latest", 99_999, "flash", true],
    ["gemini-2.5-flash-image", 205, "flash", false],
    ["gemini-2.5-pro-preview-tts", 205, "pro", false],
    ["gemini-embedding-001", 0, "other", true],
    ["gemma-3-27b-it", 0, "other", true],
  ] as const)("reads %s", (model, release, size, speaksText) => {
    expect(modelFamily(model)).toMatchObject({ release, size, speaksText });
  });

  it("knows that gemini 4 answers at less length if it is not streamed", () => {
    expect(modelFamily("gemini-4-carbon").mostUnstreamedTokens).toBe(32_768);
    for (const model of ["gemini-3.8-flash", "gemini-flash-latest", "gemma-3-27b-it"])
      expect(modelFamily(model).mostUnstreamedTokens).toBeNull();
  });
});
