import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { modelFacts, modelsOf } from "../models/model-facts.ts";
import { createCatalogue } from "../pricing/catalogue.ts";
import type { ProviderId } from "../provider-id.ts";
import type { AgentObservation, ModelObservation } from "./agent-observation.ts";
import { suggest } from "./suggest.ts";
import type { Suggestion } from "./suggestion.ts";
import { optimizationTypes, type SuggestionType, suggestionTypes } from "./suggestion-types.ts";

const catalogue = createCatalogue();
const day = new Date("2026-11-15T00:00:00Z");
const models = modelsOf(catalogue, {}, day);

/** `each`: input and output tokens per call, at list price. */
function use(
  provider: ProviderId,
  model: string,
  calls: number,
  each: { readonly input: number; readonly output: number },
  change: Partial<ModelObservation> = {},
): ModelObservation {
  const facts = modelFacts(catalogue, provider, model, day);
  if (!facts) throw new Error(`${model} is not known`);
  const input = calls * each.input;
  const output = calls * each.output;
  return {
    provider,
    model,
    facts,
    calls,
    errors: 0,
    error_cost_microcents: 0,
    retry_calls: 0,
    input_tokens: input,
    uncached_input_tokens: input,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: output,
    // $1 per million tokens is 10 microcents per token, and a cent per million a tenth of one.
    cost_microcents: Math.round(
      (input * facts.inputCentsPerMillion + output * facts.outputCentsPerMillion) / 10,
    ),
    short_calls: each.output < 100 ? calls : 0,
    cacheable_calls: 0,
    cacheable_tokens: 0,
    cacheable_5m_calls: 0,
    cacheable_5m_tokens: 0,
    cacheable_5m_start_tokens: 0,
    oversized_calls: 0,
    oversized_tokens: 0,
    sessions: calls,
    grown_calls: 0,
    grown_tokens: 0,
    max_input_tokens: each.input,
    max_output_tokens: each.output,
    outputs: [
      { below: 256, calls: each.output < 256 ? calls : 0 },
      { below: 1024, calls: each.output >= 256 && each.output < 1024 ? calls : 0 },
      { below: 4096, calls: each.output >= 1024 && each.output < 4096 ? calls : 0 },
      { below: null, calls: each.output >= 4096 ? calls : 0 },
    ],
    ...change,
  };
}

function agent(uses: readonly ModelObservation[], change: Partial<AgentObservation> = {}): AgentObservation {
  return {
    agentId: "a",
    name: "helper",
    isBackground: false,
    isArchived: false,
    observedDays: 10,
    silentDays: 0,
    models: uses,
    appliedOptimizations: new Map(),
    worseModels: new Set(),
    ...change,
  };
}

function of(type: SuggestionType, one: AgentObservation): Suggestion | undefined {
  return suggest([one], models).suggestions.find(suggestion => suggestion.type === type);
}

describe("model_switch", () => {
  // 100 × (1000 × $2.50 + 50 × $10.00) per million = $0.30 with gpt-4o.
  const short = use("openai", "gpt-4o", 100, { input: 1000, output: 50 });

  it("OPT-002 OPT-018 computes the cost of short answers with a budget model of the same provider", () => {
    // gpt-4.1-nano: 100 × (1000 × $0.10 + 50 × $0.40) per million = $0.012; $0.288 in 10 days are $0.864 a month.
    expect(of("model_switch", agent([short]))).toMatchObject({
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
    const found = of("model_switch", agent([use("openai", "gpt-4o", 100, each)]));
    expect(found?.evidence).toMatchObject({ recommended_model: target, recommended_tier: "efficient" });
  });

  it("OPT-018 long answers of a frontier model go down only one tier", () => {
    const found = of(
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
    expect(of("model_switch", one)).toBeUndefined();
  });

  it("OPT-018 passes over models that a verdict found worse", () => {
    const chosen = of("model_switch", agent([short]))?.evidence.recommended_model;
    expect(chosen).toBe("gpt-4.1-nano");
    const next = of("model_switch", agent([short], { worseModels: new Set(["gpt-4.1-nano"]) }));
    expect(next?.evidence.recommended_model).not.toBe("gpt-4.1-nano");
    expect(next?.one_click).toBe(true);
  });

  it("OPT-018 is suggested again based on calls to the switched model", () => {
    const switched = use("openai", "gpt-4o-mini", 100, { input: 1000, output: 50 });
    const inForce = new Map([["model_switch" as const, { model: "gpt-4o-mini" }]]);
    expect(
      of("model_switch", agent([short, switched], { appliedOptimizations: inForce }))?.evidence,
    ).toMatchObject({
      current_model: "gpt-4o-mini",
      recommended_model: "gpt-4.1-nano",
      calls: 100,
    });
  });

  it("counts every model of the agent, because all its calls would be switched", () => {
    const mini = use("openai", "gpt-4o-mini", 1000, { input: 1000, output: 500 });
    const found = of(
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
    const found = of("model_switch", agent([withFees(30_000_000)]));
    expect(found).toMatchObject({
      savings_pct: 48,
      evidence: { saved_microcents: 28_800_000, cost_at_recommended_microcents: 31_200_000 },
    });
    expect(found?.description).toContain("48% less");
    expect(of("model_switch", agent([withFees(1_000_000_000)]))).toBeUndefined();
  });
});

describe("token_guardrails", () => {
  const outputs = (few: number) => [
    { below: 256, calls: 0 },
    { below: 1024, calls: 100 - few },
    { below: 4096, calls: 0 },
    { below: null, calls: few },
  ];
  const wordy = (few: number) =>
    use(
      "openai",
      "gpt-4.1-nano",
      100,
      { input: 100, output: 600 },
      { outputs: outputs(few), max_output_tokens: 9096 },
    );

  it("OPT-018 sets a limit that 98 of 100 answers stay under, and counts a lower bound of the excess", () => {
    // Two answers of at least 4096 tokens, one of them 9096: 2 × (4096 − 1024) + 5000 = 11,144 tokens at 4 microcents.
    expect(of("token_guardrails", agent([wordy(2)]))).toMatchObject({
      one_click: true,
      impact_monthly_cents: (11_144 * 4 * 3) / 100_000,
      evidence: { answers: 100, answers_over_bound: 2, max_output_tokens: 1024, saved_microcents: 44_576 },
      implementation: { payload: { payload: { max_output_tokens: 1024 } } },
    });
  });

  it("suggests nothing if three of 100 are long, with 49 answers, or if a lower limit applies", () => {
    expect(of("token_guardrails", agent([wordy(3)]))).toBeUndefined();
    const few = {
      ...wordy(0),
      outputs: outputs(0).map(bucket => ({ ...bucket, calls: Math.min(bucket.calls, 49) })),
    };
    expect(of("token_guardrails", agent([few]))).toBeUndefined();
    const inForce = new Map([["token_guardrails" as const, { max_output_tokens: 1000 }]]);
    expect(of("token_guardrails", agent([wordy(2)], { appliedOptimizations: inForce }))).toBeUndefined();
  });
});

describe("prompt_caching", () => {
  const repeated = {
    cacheable_calls: 90,
    cacheable_tokens: 180_000,
    cacheable_5m_calls: 80,
    cacheable_5m_tokens: 160_000,
    cacheable_5m_start_tokens: 20_000,
  };

  it("OPT-018 is one click at anthropic: the saving of a five-minute cache, minus its write cost", () => {
    const uses = [use("anthropic", "claude-sonnet-4-5", 100, { input: 2000, output: 500 }, repeated)];
    // Per million: input $3.00, read $0.30, write $3.75. 160,000 × $2.70 − 20,000 × $0.75 = $0.417.
    expect(of("prompt_caching", agent(uses))).toMatchObject({
      one_click: true,
      evidence: { saved_microcents: 4_170_000, repeated_prompts: 80 },
      impact_monthly_cents: 125.1,
    });
  });

  it("is only advice for providers that cache automatically", () => {
    const uses = [use("openai", "gpt-4.1", 100, { input: 2000, output: 500 }, repeated)];
    // Per million: input $2.00, read $0.50. 180,000 × $1.50 = $0.27.
    expect(of("prompt_caching", agent(uses))).toMatchObject({
      one_click: false,
      implementation: null,
      evidence: { saved_microcents: 2_700_000 },
    });
  });
});

describe("suggestions that only people can apply", () => {
  it("batching: half the price of a background agent's calls", () => {
    const uses = [use("openai", "gpt-4.1-nano", 100, { input: 1000, output: 500 })];
    expect(of("batching", agent(uses))).toBeUndefined();
    // 100 × (1000 × $0.10 + 500 × $0.40) per million = $0.03.
    expect(of("batching", agent(uses, { isBackground: true }))).toMatchObject({
      one_click: false,
      savings_pct: 50,
      evidence: { saved_microcents: 150_000 },
    });
    const withFees = uses.map(one => ({ ...one, cost_microcents: one.cost_microcents + 1_000_000 }));
    expect(of("batching", agent(withFees, { isBackground: true }))?.evidence).toMatchObject({
      saved_microcents: 150_000,
    });
  });

  it("retry_storms: from ten retries and 5 % on; the cost of failed calls", () => {
    const storm = (retries: number) =>
      use(
        "openai",
        "gpt-4.1-nano",
        200,
        { input: 100, output: 50 },
        { errors: 20, retry_calls: retries, error_cost_microcents: 500 },
      );
    expect(of("retry_storms", agent([storm(9)]))).toBeUndefined();
    expect(of("retry_storms", agent([storm(10)]))).toMatchObject({
      one_click: false,
      impact_monthly_cents: 0.015,
      evidence: { retried_calls: 10, failed_calls: 20 },
    });
  });

  it("context_trimming: half of the growth of sessions", () => {
    const uses = [
      use(
        "openai",
        "gpt-4.1-nano",
        100,
        { input: 5000, output: 50 },
        { grown_calls: 40, grown_tokens: 200_000 },
      ),
    ];
    // 200,000 tokens at 1 microcent, halved.
    expect(of("context_trimming", agent(uses))).toMatchObject({ evidence: { saved_microcents: 100_000 } });
  });

  it("idle_agents: after a week of silence, or if every call fails", () => {
    const uses = [use("openai", "gpt-4.1-nano", 30, { input: 100, output: 50 })];
    expect(of("idle_agents", agent(uses, { silentDays: 6.9 }))).toBeUndefined();
    expect(of("idle_agents", agent(uses, { silentDays: 7 }))).toMatchObject({ impact_monthly_cents: 0 });
    expect(of("idle_agents", agent(uses, { silentDays: 7, isArchived: true }))).toBeUndefined();
    const failing = uses.map(one => ({ ...one, errors: 30, error_cost_microcents: 1000 }));
    expect(of("idle_agents", agent(failing))).toMatchObject({ impact_monthly_cents: 0.03 });
  });
});

describe("all suggestions", () => {
  const tokens = fc.nat({ max: 1_000_000 });
  const anyUse = fc
    .record({
      model: fc.constantFrom(...models),
      calls: fc.integer({ min: 1, max: 5000 }),
      input: fc.integer({ min: 0, max: 50_000 }),
      output: fc.integer({ min: 0, max: 9000 }),
      cacheable_5m_tokens: tokens,
      grown_tokens: tokens,
      retry_calls: fc.nat({ max: 1000 }),
    })
    .map(({ model, calls, input, output, retry_calls, ...change }) =>
      use(
        model.provider,
        model.id,
        calls,
        { input, output },
        {
          ...change,
          retry_calls,
          errors: retry_calls,
          cacheable_5m_calls: calls,
          grown_calls: calls,
        },
      ),
    );
  const anyAgent = fc
    .record({
      agentId: fc.uuid(),
      observedDays: fc.integer({ min: 1, max: 30 }),
      silentDays: fc.integer({ min: 0, max: 40 }),
      isBackground: fc.boolean(),
      uses: fc.array(anyUse, { maxLength: 3 }),
    })
    .map(({ uses, ...change }) => agent(uses, change));

  it("OPT-002 every suggestion has a type, a non-negative saving, and is one click only if the gateway can apply it", () => {
    fc.assert(
      fc.property(fc.array(anyAgent, { maxLength: 5 }), agents => {
        const { suggestions, totalMonthlySavingsCents: total } = suggest(agents, models);
        for (const one of suggestions) {
          expect(suggestionTypes).toContain(one.type);
          expect(one.impact_monthly_cents).toBeGreaterThanOrEqual(0);
          expect(one.confidence).toBeGreaterThanOrEqual(0);
          expect(one.confidence).toBeLessThanOrEqual(1);
          expect(one.one_click).toBe(one.implementation !== null);
          if (one.one_click) expect(optimizationTypes as readonly string[]).toContain(one.type);
        }
        // Overlaps count once: at most the largest per agent and group.
        const greatest = new Map<string, number>();
        for (const { type, agent_id: id, impact_monthly_cents: cents } of suggestions) {
          const key = `${id} ${["retry_storms", "idle_agents"].includes(type)}`;
          greatest.set(key, Math.max(greatest.get(key) ?? 0, cents));
        }
        const most = [...greatest.values()].reduce((sum, cents) => sum + cents, 0);
        expect(total).toBeLessThanOrEqual(most + 1e-6);
      }),
    );
  });

  it("adds up the best of each agent, without overlaps", () => {
    const uses = [use("openai", "gpt-4o", 100, { input: 1000, output: 50 })];
    const one = agent(uses, { isBackground: true });
    const { suggestions, totalMonthlySavingsCents: total } = suggest([one, { ...one, agentId: "b" }], models);
    expect(suggestions.map(({ type }) => type)).toEqual([
      "model_switch",
      "model_switch",
      "batching",
      "batching",
    ]);
    expect(total).toBe(2 * 86.4);
  });

  it("counts the cost of failed calls once: another model saves nothing on calls that no longer fail", () => {
    // 30 cents a month, 27 of them for failed calls. The switch saves 96 %: of all calls, or of the 3 cents left.
    const failing = use(
      "openai",
      "gpt-4o",
      100,
      { input: 1000, output: 50 },
      { errors: 90, retry_calls: 80, error_cost_microcents: 2_700_000, short_calls: 100 },
    );
    const report = suggest([agent([failing], { observedDays: 30 })], models);
    expect(report.suggestions.map(({ type, impact_monthly_cents: cents }) => [type, cents])).toEqual([
      ["model_switch", 28.8],
      ["retry_storms", 27],
    ]);
    expect(report.totalMonthlySavingsCents).toBe(29.88);
    expect(report.savedMicrocents).toBe(2_988_000);
  });

  it("lists the agents with too little data", () => {
    const few = agent([use("openai", "gpt-4o", 19, { input: 1000, output: 50 })]);
    const { suggestions, insufficient, hasEnoughCalls } = suggest([few], models);
    expect(suggestions).toEqual([]);
    expect(hasEnoughCalls).toBe(false);
    expect(insufficient.map(({ reason }) => reason)).toEqual([
      "19 calls in this period; at least 20 are needed",
    ]);
  });
});
