import type { Totals } from "@tollgate/storage/read-model/queries";

/** 0 where there are no calls. */
export function averageLatencyMs({ calls, latency_sum_ms: sum }: Totals): number {
  return calls === 0 ? 0 : Math.round(sum / calls);
}

/** A decimal fraction; 0 where there are no calls. */
export function errorRate({ calls, errors }: Totals): number {
  return calls === 0 ? 0 : errors / calls;
}
