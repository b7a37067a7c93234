import { describe, expect, it } from "bun:test";
import { agent, suggestionOf, use } from "../../../../test/support/agent-observations.ts";
import type { AgentObservation } from "./agent-observation.ts";

describe("model_switch", () => {
  // 100 × (1000 × $2.50 + 50 × $10.00) per million = $0.30 with gpt-4o.
  const short = use("openai", "gpt-4o", 100, { input: 1000, output: 50 });

  it("OPT-002 OPT-018 computes the cost of short answers with a budget model of the same provider", () => {
    // gpt-4.1-nano: 100 × (1000 × $0.10 + 50 × $0.40) per million = $0.012; $0.288 in 10 days are $0.864 a month.
    expect(suggestionOf("model_switch", agent([short]))).toMatchObject({
      impact_monthly_cents: 86.4,
      savings_pct: 96,
      // 0.8 × 100 ÷ 150 calls × 10 ÷ 11 days
      confidence: 0.48,
      one_click: true,
      implementation: {
        endpoint: "POST /api/agents/a/optimizations",
        payload: { optimization_type: "model_switch", payload: { model: "gpt-4.1-nano" } },
      },
    });
  });

  it.each([
    ["long answers", { input: 1000, output: 500 }, "gpt-4o-mini"],
    ["long prompts with short answers", { input: 5000, output: 50 }, "gpt-4o-mini"],
  ])("OPT-018 %s go no lower than efficient", (_, each, target) => {
    const found = suggestionOf("model_switch", agent([use("openai", "gpt-4o", 100, each)]));
    expect(found?.evidence).toMatchObject({ recommended_model: target, recommended_tier: "efficient" });
  });

  it("OPT-018 long answers of a frontier model go down only one tier", () => {
    const found = suggestionOf(
      "model_switch",
      agent([use("anthropic", "claude-opus-4-5", 100, { input: 1000, output: 800 })]),
    );
    expect(found?.evidence).toMatchObject({
      recommended_model: "claude-sonnet-5",
      recommended_tier: "balanced",
    });
  });

  it.each<[string, AgentObservation]>([
    ["19 calls are too few", agent([use("openai", "gpt-4o", 19, { input: 1000, output: 50 })])],
    [
      "the cheapest model is already used",
      agent([use("openai", "gpt-4.1-nano", 100, { input: 1000, output: 50 })]),
    ],
    [
      "the saving is under 20%",
      agent([
        use("openai", "gpt-4.1-nano", 5000, { input: 1000, output: 50 }),
        use("openai", "gpt-4.1", 2, { input: 100, output: 50 }),
      ]),
    ],
    [
      "no other model's window fits its prompts",
      agent([use("openai", "gpt-4o", 100, { input: 1000, output: 50 }, { max_input_tokens: 1_000_000 })]),
    ],
    ["it is an embedding", agent([use("openai", "text-embedding-3-large", 100, { input: 1000, output: 0 })])],
    [
      "it is already applied",
      agent([short], { appliedOptimizations: new Map([["model_switch", { model: "gpt-4.1-nano" }]]) }),
    ],
    [
      "it was switched to another model, and only earlier usage is known",
      agent([short], { appliedOptimizations: new Map([["model_switch", { model: "gpt-4o-mini" }]]) }),
    ],
  ])("OPT-018 is not suggested if %s", (_, one) => {
    expect(suggestionOf("model_switch", one)).toBeUndefined();
  });

  it("OPT-018 passes over models that a verdict found worse", () => {
    const chosen = suggestionOf("model_switch", agent([short]))?.evidence.recommended_model;
    expect(chosen).toBe("gpt-4.1-nano");
    const next = suggestionOf("model_switch", agent([short], { worseModels: new Set(["gpt-4.1-nano"]) }));
    expect(next?.evidence.recommended_model).not.toBe("gpt-4.1-nano");
    expect(next?.one_click).toBe(true);
  });

  it("OPT-018 is suggested again based on calls to the switched model", () => {
    const switched = use("openai", "gpt-4o-mini", 100, { input: 1000, output: 50 });
    const inForce = new Map([["model_switch" as const, { model: "gpt-4o-mini" }]]);
    expect(
      suggestionOf("model_switch", agent([short, switched], { appliedOptimizations: inForce }))?.evidence,
    ).toMatchObject({
      current_model: "gpt-4o-mini",
      recommended_model: "gpt-4.1-nano",
      calls: 100,
    });
  });

  it("counts every model of the agent, because all its calls would be switched", () => {
    const mini = use("openai", "gpt-4o-mini", 1000, { input: 1000, output: 500 });
    const found = suggestionOf(
      "model_switch",
      agent([use("openai", "gpt-4o", 100, { input: 1000, output: 500 }), mini]),
    );
    // Both as gpt-4o-mini: 1100 × (1000 × $0.15 + 500 × $0.60) per million = $0.495, instead of $0.75 + $0.45.
    expect(found?.evidence).toMatchObject({
      cost_microcents: 12_000_000,
      cost_at_recommended_microcents: 4_950_000,
      saved_microcents: 7_050_000,
    });
  });

  it("counts no fees as saved: searches would be charged there too", () => {
    // 30,000,000 microcents of tokens, of which 28,800,000 are saved.
    const thousand = use("openai", "gpt-4o", 1000, { input: 1000, output: 50 });
    const withFees = (fees: number) => ({ ...thousand, cost_microcents: thousand.cost_microcents + fees });
    const found = suggestionOf("model_switch", agent([withFees(30_000_000)]));
    expect(found).toMatchObject({
      savings_pct: 48,
      evidence: { saved_microcents: 28_800_000, cost_at_recommended_microcents: 31_200_000 },
    });
    expect(found?.description).toContain("48% less");
    expect(suggestionOf("model_switch", agent([withFees(1_000_000_000)]))).toBeUndefined();
  });
});
