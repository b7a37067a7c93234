import type { Totals } from "@tollgate/storage/read-model/queries";

/** 0 where there are no calls. */
export function averageLatencyMs({ calls, latency_sum_ms: sum }: Totals): number {
  return calls === 0 ? 0 : Math.round(sum / calls);
}

/** A decimal fraction; 0 where there are no calls. */
export function errorRate({ calls, errors }: Totals): number {
  return calls === 0 ? 0 : errors / calls;
}

/** Of the calls whose cost is known: one that is unknown is not 0. null where there is none. */
export function averageCostMicrocents({ calls, unpriced_calls, cost_microcents }: Totals): number | null {
  const priced = calls - unpriced_calls;
  return priced === 0 ? null : cost_microcents / priced;
}
