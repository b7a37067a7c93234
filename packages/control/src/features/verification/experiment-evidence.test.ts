import { describe, expect, it } from "bun:test";
import type { experimentResults } from "@tollgate/core/contract/experiments";
import { builtInPolicies, planTrial } from "@tollgate/core/verification/trial-plan";
import type { z } from "zod";
import { experimentFinding } from "./experiment-evidence.ts";

type Results = z.infer<typeof experimentResults>;

const plan = planTrial(
  {
    agent_id: "agent",
    prod_provider: "openai",
    prod_model: "a",
    candidate_provider: "openai",
    candidate_model: "b",
    experiment_id: "experiment",
  },
  { ...builtInPolicies[0], evidence_mode: "experiment" },
  null,
  "seed",
);

const arm = (cost: number): Results["control"] => ({
  calls: 1000,
  errors: 10,
  sessions: 500,
  unpriced_calls: 0,
  cost_microcents: cost * 1000,
  cost_per_call_microcents: { value: cost, low: cost - 3, high: cost + 3 },
  latency_p50_ms: null,
  latency_p95_ms: { value: 1000, low: null, high: null },
  error_rate: { value: 0.01, low: null, high: null },
  outcomes: 300,
  quality_score: { value: 0.9, low: null, high: null },
});

const results = (low: number, high: number, change: Partial<Results> = {}): Results => ({
  unit: "share",
  control: arm(100),
  treatment: arm(60),
  difference: { value: (low + high) / 2, low, high },
  difference_pct: null,
  test: {
    statistic: "share of successes",
    threshold_ms: null,
    control_samples: 300,
    treatment_samples: 300,
    difference: null,
    likelihood_ratio: null,
    p_value: null,
    alpha: 0.05,
  },
  error_guard: { passes: true, difference: 0, upper_bound: 0.01, message: "" },
  is_significant: false,
  winner: null,
  message: "",
  computed_at: "2026-11-15T12:00:00.000Z",
  ...change,
});

const verdictOf = (found: Results) => experimentFinding(plan, found, 500, 0)?.verdict ?? null;

describe("the outcomes of an experiment", () => {
  it("are a verdict only where their interval is on one side of the margin", () => {
    expect(verdictOf(results(-0.09, 0.02))).toBe("holds");
    expect(verdictOf(results(-0.3, -0.11))).toBe("degrades");
    expect(verdictOf(results(-0.15, 0.05))).toBeNull();
    expect(verdictOf(results(0, 0, { difference: null }))).toBeNull();
  });

  it("warn of more errors and of slower answers", () => {
    const guard = { passes: false, difference: 0.05, upper_bound: 0.07, message: "" };
    expect(verdictOf(results(-0.05, 0.05, { error_guard: guard }))).toBe("holds_with_warning");
    const slow = { ...arm(60), latency_p95_ms: { value: 1501, low: null, high: null } };
    expect(verdictOf(results(-0.05, 0.05, { treatment: slow }))).toBe("holds_with_warning");
  });

  it("have the treatment's own interval of its error rate: its calls, not the outcomes of both models", () => {
    const small = { ...arm(60), calls: 100, errors: 1, error_rate: { value: 0.01, low: 0.002, high: 0.054 } };
    const found = experimentFinding(plan, results(-0.05, 0.05, { treatment: small }), 500, 0);
    expect(found?.result.guards.error_rate.candidate).toMatchObject({
      value: 0.01,
      ci_low: 0.002,
      ci_high: 0.054,
    });
  });

  it("show nothing with fewer than 50 of either model", () => {
    expect(verdictOf(results(-0.05, 0.05, { treatment: { ...arm(60), outcomes: 49 } }))).toBeNull();
  });

  it("save the difference of two means, with the interval of both", () => {
    const savings = experimentFinding(plan, results(-0.05, 0.05), 500, 0)?.result.savings;
    const half = Math.hypot(3, 3);
    expect(savings?.per_call_microcents).toMatchObject({ value: 40, ci_low: 40 - half, ci_high: 40 + half });
    expect(savings?.per_month_microcents.value).toBe(20_000);
    expect(savings?.ratio.value).toBeNull();
  });
});
