import { describe, expect, it } from "bun:test";
import { agent, suggestionOf, use } from "../../../../test/support/agent-observations.ts";

describe("suggestions that only people can apply", () => {
  it("batching: half the price of a background agent's calls", () => {
    const uses = [use("openai", "gpt-4.1-nano", 100, { input: 1000, output: 500 })];
    expect(suggestionOf("batching", agent(uses))).toBeUndefined();
    // 100 × (1000 × $0.10 + 500 × $0.40) per million = $0.03.
    expect(suggestionOf("batching", agent(uses, { isBackground: true }))).toMatchObject({
      one_click: false,
      savings_pct: 50,
      evidence: { saved_microcents: 150_000 },
    });
    const withFees = uses.map(one => ({ ...one, cost_microcents: one.cost_microcents + 1_000_000 }));
    expect(suggestionOf("batching", agent(withFees, { isBackground: true }))?.evidence).toMatchObject({
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
    expect(suggestionOf("retry_storms", agent([storm(9)]))).toBeUndefined();
    expect(suggestionOf("retry_storms", agent([storm(10)]))).toMatchObject({
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
    expect(suggestionOf("context_trimming", agent(uses))).toMatchObject({
      evidence: { saved_microcents: 100_000 },
    });
    // At half of the list price, such as in batches.
    const discounted = uses.map(one => ({ ...one, cost_microcents: one.cost_microcents / 2 }));
    expect(suggestionOf("context_trimming", agent(discounted))).toMatchObject({
      evidence: { saved_microcents: 50_000 },
    });
  });

  it("idle_agents: after a week of silence, or if every call fails", () => {
    const uses = [use("openai", "gpt-4.1-nano", 30, { input: 100, output: 50 })];
    expect(suggestionOf("idle_agents", agent(uses, { silentDays: 6.9 }))).toBeUndefined();
    expect(suggestionOf("idle_agents", agent(uses, { silentDays: 7 }))).toMatchObject({
      impact_monthly_cents: 0,
    });
    expect(suggestionOf("idle_agents", agent(uses, { silentDays: 7, isArchived: true }))).toBeUndefined();
    const failing = uses.map(one => ({ ...one, errors: 30, error_cost_microcents: 1000 }));
    expect(suggestionOf("idle_agents", agent(failing))).toMatchObject({ impact_monthly_cents: 0.03 });
  });
});
