import type { Event } from "@tollgate/core/event";
import { showAmount } from "./show-amount.ts";

/** One event as one line of `ledger tail`. */
export function showEvent(event: Event, withOrganization: boolean): string {
  const { status, provider, model, input_tokens, output_tokens, cost_basis, latency_ms } = event;
  const cost = cost_basis === "unpriced" ? "cost unknown" : showAmount(event.cost_microcents);
  return [
    new Date(event.created_at).toISOString(),
    status.padEnd(11),
    `${provider}/${model}`,
    `${input_tokens} in, ${output_tokens} out`,
    `${cost}, ${cost_basis}`,
    `${latency_ms} ms`,
    `agent ${event.agent_key}`,
    ...(event.mode === "test" ? ["test"] : []),
    ...(withOrganization ? [`organization ${event.org_id}`] : []),
  ].join("  ");
}
