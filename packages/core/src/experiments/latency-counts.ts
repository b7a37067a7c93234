import { alwaysValidHalfWidth } from "../statistics/mixture-likelihood-ratio.ts";
import { percentileRanks } from "../statistics/percentile-ranks.ts";

export interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Number of calls per millisecond of latency, for exact percentiles. */
export class LatencyCounts {
  readonly #latencies: number[] = [];
  /** Cumulative number of calls up to each latency. */
  readonly #upTo: number[] = [];
  readonly calls: number;

  constructor(counts: Iterable<readonly [latencyMs: number, calls: number]>) {
    let calls = 0;
    for (const [latency, count] of [...counts].sort(([a], [b]) => a - b)) {
      calls += count;
      this.#latencies.push(latency);
      this.#upTo.push(calls);
    }
    this.calls = calls;
  }

  /** The smallest latency that at least a share `p` of the calls does not exceed (nearest rank). */
  percentile(p: number): number | null {
    // Slightly less: in floating point 0.95 × 60 is not exactly 57, and rounding up would select the next call.
    return this.#atRank(Math.ceil(p * this.calls - 1e-9));
  }

  /** With the 95 % interval for a single look. `independent`: the effective number of independent calls. */
  estimate(p: number, independent: number): Estimate | null {
    const value = this.percentile(p);
    if (value === null) return null;
    const ranks = percentileRanks(Math.floor(independent), p);
    const scale = this.calls / Math.max(1, Math.floor(independent));
    return {
      value,
      low: ranks.lower === null ? null : this.#atRank(Math.floor(ranks.lower * scale)),
      high: ranks.upper === null ? null : this.#atRank(Math.ceil(ranks.upper * scale)),
    };
  }

  /**
   * An interval that contains the true percentile at all times simultaneously, with probability 1 − α. At the true
   * percentile, the share of calls that do not exceed it is a mean with a known variance, which stays within its band.
   */
  alwaysValid(p: number, independent: number, tauSquared: number, alpha: number): Omit<Estimate, "value"> {
    const half = alwaysValidHalfWidth((p * (1 - p)) / independent, tauSquared, alpha);
    return {
      low: p - half <= 0 ? null : this.#atRank(Math.floor(this.calls * (p - half))),
      high: p + half >= 1 ? null : this.#atRank(Math.ceil(this.calls * (p + half)) + 1),
    };
  }

  /** Ranks start at 1. */
  #atRank(rank: number): number | null {
    if (rank < 1 || rank > this.calls) return null;
    let low = 0;
    let high = this.#upTo.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#upTo[middle] ?? 0) >= rank) high = middle;
      else low = middle + 1;
    }
    return this.#latencies[low] ?? null;
  }
}
