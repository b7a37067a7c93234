import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import type { Effort } from "../canonical/request.ts";
import { encodeThinking } from "./encode-thinking.ts";
import { modelFamily } from "./model-traits.ts";

const efforts: Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

describe("encodeThinking", () => {
  it.each([
    ["gemini-3-flash-preview", ["minimal", "minimal", "low", "medium", "high", "high", "high"]],
    ["gemini-3.5-flash-lite", ["minimal", "minimal", "low", "medium", "high", "high", "high"]],
    ["gemini-3.7-flash", ["low", "low", "low", "medium", "high", "high", "high"]],
    ["gemini-flash-latest", ["low", "low", "low", "medium", "high", "high", "high"]],
    ["gemini-3-pro-preview", ["low", "low", "low", "high", "high", "high", "high"]],
    ["gemini-3.1-pro-preview", ["low", "low", "low", "medium", "high", "high", "high"]],
  ])("GW-019 sends a level to %s", (model, levels) => {
    const asked = efforts.map(effort => encodeThinking(modelFamily(model), { effort })?.thinkingLevel);
    expect<unknown>(asked).toEqual(levels);
  });

  it.each([
    ["gemini-2.5-flash", [0, 512, 1024, 8192, 24_576, 24_576, 24_576]],
    ["gemini-2.5-flash-lite", [0, 512, 1024, 8192, 24_576, 24_576, 24_576]],
    ["gemini-2.5-pro", [128, 512, 1024, 8192, 24_576, 32_768, 32_768]],
  ])("GW-019 sends a budget to %s", (model, budgets) => {
    const asked = efforts.map(effort => encodeThinking(modelFamily(model), { effort })?.thinkingBudget);
    expect<unknown>(asked).toEqual(budgets);
  });

  it.each([
    ["gemini-2.5-flash", 2000, { includeThoughts: true, thinkingBudget: 2000 }],
    ["gemini-2.5-flash", 32_000, { includeThoughts: true, thinkingBudget: 24_576 }],
    ["gemini-2.5-flash", 0, { thinkingBudget: 0 }],
    ["gemini-2.5-flash-lite", 100, { includeThoughts: true, thinkingBudget: 512 }],
    ["gemini-2.5-pro", 64_000, { includeThoughts: true, thinkingBudget: 32_768 }],
    ["gemini-3.1-pro-preview", 1024, { includeThoughts: true, thinkingLevel: "low" }],
    ["gemini-3.1-pro-preview", 10_000, { includeThoughts: true, thinkingLevel: "medium" }],
    ["gemini-3.1-pro-preview", 31_999, { includeThoughts: true, thinkingLevel: "high" }],
    ["gemini-3-flash-preview", 0, { thinkingLevel: "minimal" }],
  ])("fits a budget for %s of %d tokens", (model, budgetTokens, config) => {
    expect<unknown>(encodeThinking(modelFamily(model), { budgetTokens })).toEqual(config);
  });

  it("requests thoughts if and only if thinking was requested", () => {
    const family = modelFamily("gemini-2.5-flash");
    expect(encodeThinking(family, {})).toEqual({ includeThoughts: true });
    expect(encodeThinking(family, { effort: "none" })).toEqual({ thinkingBudget: 0 });
    expect(encodeThinking(family, undefined)).toBeUndefined();
  });

  it.each(["gemini-2.0-flash", "gemini-2.5-flash-image", "gemini-3-pro-image-preview", "gemma-3-27b-it"])(
    "sends nothing to %s, which would reject it",
    model => {
      expect(encodeThinking(modelFamily(model), { effort: "high" })).toBeUndefined();
    },
  );

  it("never sends a level together with a budget", () => {
    const reasoning = fc.record(
      { effort: fc.constantFrom(...efforts), budgetTokens: fc.nat(100_000) },
      { requiredKeys: [] },
    );
    const models = fc.constantFrom(
      "gemini-2.5-pro",
      "gemini-2.5-flash",
      "gemini-3-flash-preview",
      "gemini-4",
    );
    fc.assert(
      fc.property(models, reasoning, (model, asked) => {
        const config = encodeThinking(modelFamily(model), asked) ?? {};
        expect("thinkingLevel" in config && "thinkingBudget" in config).toBe(false);
      }),
    );
  });
});
