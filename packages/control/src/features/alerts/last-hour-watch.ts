import type { LastHourObservation } from "@tollgate/core/alerts/error-rate";
import { LastHour } from "@tollgate/core/alerts/last-hour";
import { isHourly, type Threshold, type ThresholdObservation } from "@tollgate/core/alerts/threshold";
import type { RecentCall } from "@tollgate/storage/read-model/reading/watch-usage";

const nothing: ReadonlySet<unknown> = new Set();

interface WatchedThreshold {
  readonly threshold: Threshold;
  readonly calls: LastHour;
}

/** The last hour of one scope: all of its calls, and those that each last-hour threshold applies to. */
export class LastHourWatch {
  readonly #all = new LastHour();
  readonly #watched: readonly WatchedThreshold[];
  #at = 0;

  constructor(thresholds: readonly Threshold[]) {
    this.#watched = thresholds
      .filter(({ metric }) => isHourly(metric))
      .map(threshold => ({
        threshold,
        calls: new LastHour(threshold.metric === "latency_p99" ? threshold.value : null),
      }));
  }

  /** The end of the hour. */
  get at(): number {
    return this.#at;
  }

  get isEmpty(): boolean {
    return this.#all.calls === 0;
  }

  add({ at, agentKey, isError, latencyMs }: RecentCall): void {
    this.#at = Math.max(this.#at, at);
    this.#all.add(at, isError, latencyMs);
    for (const { threshold, calls } of this.#watched) {
      if (threshold.agentKey === null || threshold.agentKey === agentKey) calls.add(at, isError, latencyMs);
    }
  }

  advance(now: number): void {
    this.#at = Math.max(this.#at, now);
    this.#all.advance(now);
    for (const { calls } of this.#watched) calls.advance(now);
  }

  observe(usual: LastHourObservation["usual"]): LastHourObservation {
    return { at: this.#at, calls: this.#all.calls, errors: this.#all.errors, usual };
  }

  /** Only thresholds that may be crossed: a percentile below its threshold is not computed, nor one already known. */
  *observeThresholds(known: ReadonlySet<unknown> = nothing): Generator<ThresholdObservation> {
    for (const { threshold, calls } of this.#watched) {
      if (known.has(threshold)) continue;
      calls.advance(this.#at);
      if (calls.calls === 0) continue;
      const isLatency = threshold.metric === "latency_p99";
      if (isLatency && !calls.isSlow()) continue;
      const value = isLatency ? calls.p99Ms() : calls.errors / calls.calls;
      if (value !== null) yield { threshold, at: this.#at, value, calls: calls.calls, unpricedCalls: 0 };
    }
  }
}
