import type { EventSummary } from "@tollgate/storage/ledger/ledger-reader";

/** What `event.created` tells of an event: these fields and no other, as they are stored. */
export function eventCreatedData(event: EventSummary) {
  return {
    // Its sender knows an ingested event by the id that it was sent with.
    id: event.external_id ?? event.id,
    org_id: event.org_id,
    agent_key: event.agent_key,
    provider: event.provider,
    model: event.model,
    input_tokens: event.input_tokens,
    output_tokens: event.output_tokens,
    cost_microcents: event.cost_microcents,
    latency_ms: event.latency_ms,
    status: event.status,
    session_id: event.session_id,
    customer_id: event.customer_id,
  };
}
