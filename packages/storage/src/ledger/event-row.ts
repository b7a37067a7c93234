import type { AdditionalUsage, Event } from "@tollgate/core/event";
import type { Usage } from "@tollgate/core/money/usage";

/** An event as SQLite holds it: the same names, with JSON as text and booleans as 0 and 1. */
export type EventRow = Omit<Event, "stream" | "usage" | "additional_usage" | "budget_flags"> & {
  readonly stream: number;
  readonly usage: string;
  readonly additional_usage: string | null;
  readonly budget_flags: string | null;
};

/** The order in which values are bound. `seq` is given by the database. */
export const eventColumns = [
  "id",
  "external_id",
  "org_id",
  "mode",
  "created_at",
  "source",
  "endpoint",
  "stream",
  "agent_key",
  "session_id",
  "customer_id",
  "config_version",
  "provider",
  "model",
  "requested_model",
  "served_model",
  "status",
  "http_status",
  "error_code",
  "latency_ms",
  "ttft_ms",
  "input_tokens",
  "output_tokens",
  "usage",
  "additional_usage",
  "usage_source",
  "cost_microcents",
  "cost_basis",
  "price_version",
  "service_tier",
  "response_id",
  "request_hash",
  "prefix_hash",
  "experiment_id",
  "arm",
  "budget_flags",
  "trace_id",
  "span_id",
  "instrumentation",
] as const satisfies readonly (keyof Event)[];

/** In the order of `eventColumns`, written out: a loop over the names costs several times as much. */
export function pushRow(event: Event, values: (string | number | null)[]): void {
  values.push(
    event.id,
    event.external_id,
    event.org_id,
    event.mode,
    event.created_at,
    event.source,
    event.endpoint,
    event.stream ? 1 : 0,
    event.agent_key,
    event.session_id,
    event.customer_id,
    event.config_version,
    event.provider,
    event.model,
    event.requested_model,
    event.served_model,
    event.status,
    event.http_status,
    event.error_code,
    event.latency_ms,
    event.ttft_ms,
    event.input_tokens,
    event.output_tokens,
    JSON.stringify(event.usage),
    event.additional_usage === null ? null : JSON.stringify(event.additional_usage),
    event.usage_source,
    event.cost_microcents,
    event.cost_basis,
    event.price_version,
    event.service_tier,
    event.response_id,
    event.request_hash,
    event.prefix_hash,
    event.experiment_id,
    event.arm,
    event.budget_flags === null ? null : JSON.stringify(event.budget_flags),
    event.trace_id,
    event.span_id,
    event.instrumentation,
  );
}

export function fromRow(row: EventRow): Event {
  const { stream, usage, additional_usage, budget_flags, ...same } = row;
  return {
    ...same,
    stream: stream === 1,
    // What stands in these columns was written by pushRow.
    usage: JSON.parse(usage) as Usage,
    additional_usage: additional_usage === null ? null : (JSON.parse(additional_usage) as AdditionalUsage[]),
    budget_flags: budget_flags === null ? null : (JSON.parse(budget_flags) as string[]),
  };
}
