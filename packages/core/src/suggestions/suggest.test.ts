import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { agent, models, use } from "../../../../test/support/agent-observations.ts";
import { suggest } from "./suggest.ts";
import { optimizationTypes, suggestionTypes } from "./suggestion-types.ts";

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
