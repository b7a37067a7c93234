import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { SubjectTotals } from "@tollgate/storage/read-model/queries";

/** The totals of a session, customer or config version. */
export function toSubject(totals: SubjectTotals) {
  return {
    call_count: totals.calls,
    error_count: totals.errors,
    input_tokens: totals.input_tokens,
    output_tokens: totals.output_tokens,
    cost_microcents: totals.cost_microcents,
    unpriced_calls: totals.unpriced_calls,
    first_call_at: toIsoTime(totals.first_at),
    last_call_at: toIsoTime(totals.last_at),
  };
}
