import { describe, expect, it } from "bun:test";
import { modelAliases } from "@tollgate/core/pricing/model-aliases";
import { thinksUnseen } from "./thinks-unseen.ts";

describe("thinksUnseen", () => {
  it.each([
    ["openai", "o3", {}, true],
    ["openai", "gpt-5-mini", {}, true],
    ["openai", "ft:o4-mini-2025-04-16:acme::id", {}, true],
    ["openai", "gpt-5.1", { reasoning_effort: "none" }, false],
    ["openai", "gpt-5.1", { reasoning: { effort: "high" } }, true],
    ["openai", "gpt-5.1", { reasoning: { effort: "none" } }, false],
    ["openai", "gpt-4o", {}, false],
    ["anthropic", "claude-sonnet-4-6", {}, false],
    ["anthropic", "claude-sonnet-4-6", { thinking: { type: "adaptive" } }, true],
    ["anthropic", "claude-sonnet-4-6", { thinking: { type: "disabled" } }, false],
    ["anthropic", "claude-sonnet-4-6", { reasoning_effort: "low" }, true],
    ["anthropic", "claude-opus-5-5", {}, true],
    ["openai", "o3", { thinking: { type: "disabled" } }, true],
    ["openai", "o3", { reasoning_effort: "none" }, true],
    ["openai", "gpt-5.2", { thinking: { type: "disabled" } }, false],
    ["anthropic", "claude-opus-5-5", { thinking: { type: "disabled" } }, true],
    ["google", "gemini-2.5-pro", { reasoning_effort: "none" }, true],
    ["google", "gemini-2.5-pro", {}, true],
    ["google", "gemini-2.0-flash", {}, false],
    ["xai", "grok-4", {}, true],
    ["xai", "grok-4-fast-non-reasoning", {}, false],
    ["google", "gemini-pro-latest", {}, true],
    ["google", "models/gemini-2.5-pro", {}, true],
    ["google", "gemini-robotics-er-2-preview", {}, true],
    ["google", "gemini-pro", {}, false],
    ["xai", "grok-latest", {}, true],
    ["openai", "codex-mini-latest", {}, true],
    ["openai", "O3", {}, true],
    ["openai", "a-model-of-tomorrow", {}, true],
    ["openai", "text-embedding-3-small", {}, false],
  ] as const)("MON-019 %s %s with %j: %p", (provider, model, body, expected) => {
    expect(thinksUnseen(provider, model, body)).toBe(expected);
  });

  it("MON-019 an alias thinks as its model does", () => {
    for (const provider of ["openai", "google", "xai"] as const) {
      for (const [alias, model] of modelAliases[provider]) {
        expect([alias, thinksUnseen(provider, alias, {})]).toEqual([
          alias,
          thinksUnseen(provider, model, {}),
        ]);
      }
    }
  });
});
