import type { Totals } from "@tollgate/storage/read-model/queries/usage-queries";

type SummedTotals = Pick<Totals, "calls" | "cost_microcents" | "unpriced_calls">;

export function toCostSums({ calls, cost_microcents, unpriced_calls }: SummedTotals) {
  return { call_count: calls, cost_microcents, unpriced_calls };
}
