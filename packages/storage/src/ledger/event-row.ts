import type { AdditionalUsage, Event, PairMark } from "@tollgate/core/event";
import type { Usage } from "@tollgate/core/money/usage";
import { type Column, integer, orNull, text } from "../engine/columns.ts";

/**
 * The columns of `events`, in the order in which values are bound; the database assigns `seq`. `event-row.test.ts`
 * compares them with the migrated table and with `pushRow`.
 */
export const eventTable = {
  id: text,
  external_id: orNull(text),
  org_id: text,
  mode: text,
  created_at: integer,
  source: text,
  endpoint: text,
  stream: integer,
  agent_key: text,
  session_id: orNull(text),
  customer_id: orNull(text),
  config_version: orNull(text),
  provider: text,
  model: text,
  requested_model: text,
  served_model: orNull(text),
  status: text,
  http_status: orNull(integer),
  error_code: orNull(text),
  latency_ms: integer,
  ttft_ms: orNull(integer),
  input_tokens: integer,
  output_tokens: integer,
  usage: text,
  additional_usage: orNull(text),
  usage_source: text,
  cost_microcents: integer,
  cost_basis: text,
  price_version: orNull(text),
  service_tier: orNull(text),
  response_id: orNull(text),
  request_hash: orNull(text),
  prefix_hash: orNull(text),
  experiment_id: orNull(text),
  arm: orNull(text),
  budget_flags: orNull(text),
  trace_id: orNull(text),
  span_id: orNull(text),
  instrumentation: orNull(text),
  pair: orNull(text),
  key_id: orNull(text),
} as const satisfies { readonly [column in keyof Event]: Column };

export const eventColumns = Object.keys(eventTable) as readonly (keyof Event)[];

/** How SQLite stores a field: JSON as text, a boolean as 1 or 0. */
type Stored<Field> = Field extends string | number | null ? Field : Field extends boolean ? number : string;

export type EventRow = { readonly [column in keyof Event]: Stored<Event[column]> };

type Plain<Field> = Field extends string ? string : Field extends number ? number : Field;
type Declared = {
  readonly [column in keyof Event]: (typeof eventTable)[column] extends Column<infer Type> ? Type : never;
};
type IsSame<One, Other> = [One, Other] extends [Other, One] ? true : false;
// Fails to compile if a field is a number, a text or null and its column is not, or vice versa.
true satisfies IsSame<Declared, { readonly [column in keyof Event]: Plain<EventRow[column]> }>;

/** In the order of `eventTable`, written out because a loop over the names costs several times as much. */
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
    event.pair === null ? null : JSON.stringify(event.pair),
    event.key_id,
  );
}

export function fromRow(row: EventRow): Event {
  const { stream, usage, additional_usage, budget_flags, pair, ...same } = row;
  return {
    ...same,
    stream: stream === 1,
    // `pushRow` wrote these columns.
    usage: JSON.parse(usage) as Usage,
    additional_usage: additional_usage === null ? null : (JSON.parse(additional_usage) as AdditionalUsage[]),
    budget_flags: budget_flags === null ? null : (JSON.parse(budget_flags) as string[]),
    pair: pair === null ? null : (JSON.parse(pair) as PairMark),
  };
}
