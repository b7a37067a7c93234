import { describe, expect, it } from "bun:test";
import { agent, suggestionOf, use } from "../../../../test/support/agent-observations.ts";

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
    expect(suggestionOf("token_guardrails", agent([wordy(2)]))).toMatchObject({
      one_click: true,
      impact_monthly_cents: (11_144 * 4 * 3) / 100_000,
      evidence: { answers: 100, answers_over_bound: 2, max_output_tokens: 1024, saved_microcents: 44_576 },
      implementation: { payload: { payload: { max_output_tokens: 1024 } } },
    });
  });

  it("saves at most what was paid: a call of a tenth of the list price saves a tenth", () => {
    const listed = wordy(2);
    const discounted = { ...listed, cost_microcents: listed.cost_microcents / 10 };
    expect(suggestionOf("token_guardrails", agent([discounted]))?.evidence).toMatchObject({
      saved_microcents: 4458,
    });
  });

  it("suggests nothing if three of 100 are long, with 49 answers, or if a lower limit applies", () => {
    expect(suggestionOf("token_guardrails", agent([wordy(3)]))).toBeUndefined();
    const few = {
      ...wordy(0),
      outputs: outputs(0).map(bucket => ({ ...bucket, calls: Math.min(bucket.calls, 49) })),
    };
    expect(suggestionOf("token_guardrails", agent([few]))).toBeUndefined();
    const inForce = new Map([["token_guardrails" as const, { max_output_tokens: 1000 }]]);
    expect(
      suggestionOf("token_guardrails", agent([wordy(2)], { appliedOptimizations: inForce })),
    ).toBeUndefined();
  });
});
