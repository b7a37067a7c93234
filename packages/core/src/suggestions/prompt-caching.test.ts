import { describe, expect, it } from "bun:test";
import { agent, suggestionOf, use } from "../../../../test/support/agent-observations.ts";

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
    expect(suggestionOf("prompt_caching", agent(uses))).toMatchObject({
      one_click: true,
      evidence: { saved_microcents: 4_170_000, repeated_prompts: 80 },
      impact_monthly_cents: 125.1,
    });
  });

  it("is only advice for providers that cache automatically", () => {
    const uses = [use("openai", "gpt-4.1", 100, { input: 2000, output: 500 }, repeated)];
    // Per million: input $2.00, read $0.50. 180,000 × $1.50 = $0.27.
    expect(suggestionOf("prompt_caching", agent(uses))).toMatchObject({
      one_click: false,
      implementation: null,
      evidence: { saved_microcents: 2_700_000 },
    });
  });
});
