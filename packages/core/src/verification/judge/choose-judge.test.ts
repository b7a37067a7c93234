import { describe, expect, it } from "bun:test";
import { modelsOf } from "../../models/model-facts.ts";
import { createCatalogue } from "../../pricing/catalogue.ts";
import { providerIds } from "../../provider-id.ts";
import { chooseJudge } from "./choose-judge.ts";

const catalogue = createCatalogue();
const day = new Date("2026-11-15T00:00:00Z");

describe("the judge of a verification", () => {
  it.each([
    ["openai", "gpt-5.5"],
    ["anthropic", "claude-opus-5"],
    ["google", "gemini-3.1-pro-preview"],
    ["xai", "grok-4.7"],
  ] as const)("is by default the strongest general model of %s: %s", (provider, id) => {
    expect(chooseJudge(catalogue, provider, [], day)?.id).toBe(id);
  });

  it("is neither of the compared models, under any of their names", () => {
    for (const provider of providerIds) {
      const first = chooseJudge(catalogue, provider, [], day);
      if (!first) throw new Error(`${provider} has no judge`);
      const other = chooseJudge(catalogue, provider, [{ provider, model: first.id }], day);
      expect(other?.id).not.toBe(first.id);
      expect(other?.outputCentsPerMillion).toBeLessThanOrEqual(first.outputCentsPerMillion);
    }
    const snapshot = { provider: "openai", model: "gpt-5.5-2026-04-23" } as const;
    expect(chooseJudge(catalogue, "openai", [snapshot], day)?.id).not.toBe("gpt-5.5");
  });

  it("belongs to the caller's provider even if the compared models do not", () => {
    const compared = [{ provider: "openai", model: "gpt-5.5" } as const];
    expect(chooseJudge(catalogue, "anthropic", compared, day)?.provider).toBe("anthropic");
  });

  it("does not exist if the provider has no third model", () => {
    const compared = modelsOf(catalogue, { provider: "xai" }, day).map(({ provider, id }) => ({
      provider,
      model: id,
    }));
    expect(chooseJudge(catalogue, "xai", compared, day)).toBeNull();
  });
});
