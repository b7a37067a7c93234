import { meanInterval } from "../statistics/mean-interval.ts";
import { wilsonInterval } from "../statistics/wilson-interval.ts";
import type { ArmSums } from "./arm-sums.ts";
import type { Estimate, LatencyCounts } from "./latency-counts.ts";

export interface ArmResults {
  readonly calls: number;
  readonly errors: number;
  readonly sessions: number;
  readonly unpriced_calls: number;
  readonly cost_microcents: number;
  readonly cost_per_call_microcents: Estimate | null;
  readonly latency_p50_ms: Estimate | null;
  readonly latency_p95_ms: Estimate | null;
  readonly error_rate: Estimate | null;
  readonly outcomes: number;
  readonly quality_score: Estimate | null;
}

/** Every metric of an arm. The intervals are valid for a single look; only the sequential test decides. */
export function armResults(
  calls: ArmSums,
  cost: ArmSums,
  pricedErrors: number,
  outcomes: ArmSums,
  latencies: LatencyCounts,
): ArmResults {
  return {
    calls: calls.samples,
    errors: Number(calls.sum),
    sessions: calls.sessions,
    unpriced_calls: calls.samples - cost.samples - pricedErrors,
    cost_microcents: Number(cost.sum),
    cost_per_call_microcents: meanOf(cost),
    latency_p50_ms: latencies.estimate(0.5, calls.independentSamples),
    latency_p95_ms: latencies.estimate(0.95, calls.independentSamples),
    error_rate: rateOf(calls),
    outcomes: outcomes.samples,
    quality_score: rateOf(outcomes),
  };
}

function meanOf(sums: ArmSums): Estimate | null {
  const { mean, varianceOfMean } = sums;
  if (mean === null) return null;
  const interval =
    varianceOfMean === null ? null : meanInterval(mean, Math.sqrt(varianceOfMean), sums.sessions - 1);
  return { value: mean, low: interval?.low ?? null, high: interval?.high ?? null };
}

function rateOf(sums: ArmSums): Estimate | null {
  if (sums.mean === null) return null;
  const n = independentRateSamples(sums, sums.mean);
  const interval = wilsonInterval(sums.mean * n, n);
  return { value: sums.mean, low: interval?.low ?? null, high: interval?.high ?? null };
}

/** Wilson's interval assumes independent samples: use the number of independent samples with this variance. */
export function independentRateSamples({ samples, sessions, varianceOfMean }: ArmSums, mean: number): number {
  if (sessions === samples) return samples;
  const alone = (mean * (1 - mean)) / samples;
  // All samples are equal, so their correlation within sessions cannot be measured.
  if (alone === 0 || varianceOfMean === null || varianceOfMean === 0) return sessions;
  return samples * Math.min(1, alone / varianceOfMean);
}
