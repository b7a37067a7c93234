import type { EventSummary } from "@tollgate/storage/ledger/event-parts";

/** The fields of `event.created`, as stored. */
export function eventCreatedData(event: EventSummary) {
  return {
    // An ingested event keeps the id that its sender gave it.
    id: event.external_id ?? event.id,
    org_id: event.org_id,
    agent_key: event.agent_key,
    provider: event.provider,
    model: event.model,
    input_tokens: event.input_tokens,
    output_tokens: event.output_tokens,
    cost_microcents: event.cost_microcents,
    // `unpriced`: the cost is unknown, and its 0 does not mean free.
    cost_basis: event.cost_basis,
    latency_ms: event.latency_ms,
    status: event.status,
    session_id: event.session_id,
    customer_id: event.customer_id,
  };
}
