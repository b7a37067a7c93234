import type { Totals } from "@tollgate/storage/read-model/queries/usage-queries";

/** 0 if there are no calls. */
export function averageLatencyMs({ calls, latency_sum_ms: sum }: Totals): number {
  return calls === 0 ? 0 : Math.round(sum / calls);
}

/** A decimal fraction; 0 if there are no calls. */
export function errorRate({ calls, errors }: Totals): number {
  return calls === 0 ? 0 : errors / calls;
}

/** Over the calls whose cost is known, because unknown is not 0. null if there are none. */
export function averageCostMicrocents({ calls, unpriced_calls, cost_microcents }: Totals): number | null {
  const priced = calls - unpriced_calls;
  return priced === 0 ? null : cost_microcents / priced;
}
