import { z } from "zod";
import type { Arm } from "../steering.ts";
import type { ArmSums, SessionSums } from "./arm-sums.ts";
import { type PrimaryMetric, primaryMetrics } from "./experiment.ts";
import { type Arms, SequentialTest } from "./sequential-test.ts";
import { armsText, emptyArms, parseArms, storedArms } from "./stored-arms.ts";

/** One call of an experiment. */
interface ArmCall {
  readonly arm: Arm;
  /** null: no known price. */
  readonly cost_microcents: number | null;
  readonly latency_ms: number;
  readonly is_error: boolean;
}

/** The session's sums before this call. */
export interface SessionTally {
  readonly calls: number;
  readonly errors: number;
  /** Without failed ones, whose cost is in the sum nevertheless. */
  readonly priced_calls: number;
  readonly cost_microcents: number;
  readonly tested_calls: number;
  readonly slow_calls: number;
}

export const EMPTY_SESSION: SessionTally = {
  calls: 0,
  errors: 0,
  priced_calls: 0,
  cost_microcents: 0,
  tested_calls: 0,
  slow_calls: 0,
};

/** Number of control calls that fix the reference latency for both arms. */
const REFERENCE_CALLS = 100;

const percentiles: { readonly [metric in PrimaryMetric]?: number } = { latency_p50: 0.5, latency_p95: 0.95 };

/**
 * Expected spread of the differences, fixed before any call, as shares. The scale of costs cannot be known in advance,
 * so it is fixed by the first hundred calls of each arm.
 */
export const TAU = {
  cost_per_call: null,
  latency_p50: 0.1,
  latency_p95: 0.05,
  error_rate: 0.03,
  quality_score: 0.1,
} as const satisfies { readonly [metric in PrimaryMetric]: number | null };

export function percentileOf(metric: PrimaryMetric): number | null {
  return percentiles[metric] ?? null;
}

/**
 * The running sums of an experiment and its sequential test, updated call by call in ledger order: the same calls give
 * the same tally, regardless of batching. Percentiles are tested by the share of calls above a reference latency: the
 * control's own percentile in its first hundred calls. Calls before it was fixed are excluded, because by construction
 * those hundred have exactly that share.
 */
export class Tally {
  /** What the test compares; null: quality is known from outcomes, not from calls. */
  readonly tested: Arms<ArmSums> | null;

  private constructor(
    readonly metric: PrimaryMetric,
    /** 1 for each failure. */
    readonly calls: Arms<ArmSums>,
    /**
     * All costs, over the calls that did not fail: a failed call costs little, and a model must not win on cost because
     * it fails.
     */
    readonly cost: Arms<ArmSums>,
    /** Failed calls of known cost. */
    readonly pricedErrors: { -readonly [arm in Arm]: number },
    readonly slow: Arms<ArmSums>,
    readonly test: SequentialTest,
    public thresholdMs: number | null,
    private firstLatencies: number[],
  ) {
    const byMetric = {
      cost_per_call: cost,
      latency_p50: slow,
      latency_p95: slow,
      error_rate: calls,
      quality_score: null,
    };
    this.tested = byMetric[metric];
  }

  static of(metric: PrimaryMetric): Tally {
    const tau = TAU[metric];
    return new Tally(
      metric,
      emptyArms(),
      emptyArms(),
      { control: 0, treatment: 0 },
      emptyArms(),
      new SequentialTest(tau === null ? null : tau ** 2),
      null,
      [],
    );
  }

  static parse(text: string): Tally {
    const stored = storedTally.parse(JSON.parse(text));
    return new Tally(
      stored.metric,
      parseArms(stored.calls),
      parseArms(stored.cost),
      stored.priced_errors,
      parseArms(stored.slow),
      new SequentialTest(stored.tau_squared, stored.log_ratio, stored.decided),
      stored.threshold_ms,
      stored.first_latencies,
    );
  }

  toText(): string {
    const { metric, calls, cost, slow, test } = this;
    const stored: z.input<typeof storedTally> = {
      metric,
      calls: storedArms(calls),
      cost: storedArms(cost),
      priced_errors: this.pricedErrors,
      slow: storedArms(slow),
      tau_squared: test.tauSquared,
      log_ratio: test.logRatio,
      decided: test.decided,
      threshold_ms: this.thresholdMs,
      first_latencies: this.firstLatencies,
    };
    return JSON.stringify(stored);
  }

  /** Returns the session's updated sums; null: the call has no session. */
  add(call: ArmCall, session: SessionTally | null): SessionTally | null {
    const { arm } = call;
    const before = session ?? EMPTY_SESSION;
    const error = call.is_error ? 1 : 0;
    this.calls[arm].add(error, sums(before.calls, before.errors));
    if (call.cost_microcents !== null) {
      const spent = sums(before.priced_calls, before.cost_microcents);
      if (call.is_error) {
        this.cost[arm].addOverhead(call.cost_microcents, spent);
        this.pricedErrors[arm] += 1;
      } else this.cost[arm].add(call.cost_microcents, spent);
    }
    const slow = this.#isSlow(call);
    if (slow !== null) this.slow[arm].add(slow, sums(before.tested_calls, before.slow_calls));
    if (slow === null) this.#fixThreshold(call);
    if (this.tested !== null) this.test.look(this.tested);
    if (session === null) return null;
    return {
      calls: before.calls + 1,
      errors: before.errors + error,
      priced_calls: before.priced_calls + (call.cost_microcents === null || call.is_error ? 0 : 1),
      cost_microcents: before.cost_microcents + (call.cost_microcents ?? 0),
      tested_calls: before.tested_calls + (slow === null ? 0 : 1),
      slow_calls: before.slow_calls + (slow ?? 0),
    };
  }

  #isSlow({ latency_ms }: ArmCall): 0 | 1 | null {
    if (this.thresholdMs === null) return null;
    return latency_ms > this.thresholdMs ? 1 : 0;
  }

  #fixThreshold({ arm, latency_ms }: ArmCall): void {
    const percentile = percentileOf(this.metric);
    if (percentile === null || arm === "treatment") return;
    this.firstLatencies.push(latency_ms);
    if (this.firstLatencies.length < REFERENCE_CALLS) return;
    const sorted = this.firstLatencies.toSorted((a, b) => a - b);
    this.thresholdMs = sorted[Math.ceil(percentile * REFERENCE_CALLS) - 1] ?? null;
    this.firstLatencies = [];
  }
}

function sums(samples: number, sum: number): SessionSums {
  return { samples, sum };
}

const storedTally = z.strictObject({
  metric: z.enum(primaryMetrics),
  calls: armsText,
  cost: armsText,
  /** Tallies of older versions have failed calls among the samples of costs. */
  priced_errors: z
    .strictObject({ control: z.int(), treatment: z.int() })
    .default({ control: 0, treatment: 0 }),
  slow: armsText,
  tau_squared: z.number().nullable(),
  log_ratio: z.number(),
  decided: z.union([z.literal(-1), z.literal(0), z.literal(1)]),
  threshold_ms: z.number().nullable(),
  first_latencies: z.array(z.number()),
});
