import type { Microcents } from "./money/money.ts";
import type { Usage } from "./money/usage.ts";

/**
 * The one fact that a call ends in. Field names are the wire's own (spec 2, design 5): the ledger, the API, the
 * webhooks and the CLI all say the same, and nothing translates between them.
 */
export interface Event {
  readonly id: string;
  /** The id that an ingested event was sent with; null for calls of the gateway. On the wire it is `id`. */
  readonly external_id: string | null;
  readonly org_id: string;
  /** Test traffic (`sk_test_` keys) is kept apart in every total, list and budget. */
  readonly mode: Mode;
  /** When the call was admitted, epoch milliseconds inside, ISO 8601 on the wire: its period is fixed by it. */
  readonly created_at: number;
  readonly source: EventSource;
  readonly endpoint: string;
  readonly stream: boolean;
  readonly agent_key: string;
  readonly session_id: string | null;
  readonly customer_id: string | null;
  readonly config_version: string | null;
  /** One of ours for a call of the gateway; telemetry may name any other. */
  readonly provider: string;
  /** The name that was sent to the provider. */
  readonly model: string;
  /** As the client wrote it (`openai/gpt-4o-mini`). */
  readonly requested_model: string;
  /** As the provider named it (`gpt-4o-mini-2024-07-18`); null when it never did. */
  readonly served_model: string | null;
  readonly status: EventStatus;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly latency_ms: number;
  readonly ttft_ms: number | null;
  /** All input, cached or not. */
  readonly input_tokens: number;
  /** All output, reasoning included. */
  readonly output_tokens: number;
  /** The breakdown: every token in exactly one kind. */
  readonly usage: Usage;
  readonly additional_usage: readonly AdditionalUsage[] | null;
  readonly usage_source: UsageSource;
  readonly cost_microcents: Microcents;
  readonly cost_basis: CostBasis;
  /** Names the rates by their content; the ledger keeps them (`rate_cards`). */
  readonly price_version: string | null;
  readonly service_tier: string | null;
  readonly response_id: string | null;
  /** Salted per organization: recognizes equal prompts without revealing them. */
  readonly request_hash: string | null;
  readonly prefix_hash: string | null;
  readonly experiment_id: string | null;
  readonly arm: string | null;
  readonly budget_flags: readonly string[] | null;
  /** The client's span of this call: the one in the call's `traceparent`, or the span that reported it. */
  readonly trace_id: string | null;
  readonly span_id: string | null;
  /** The instrumentation scope of the span that an event of telemetry was made from; null for all others. */
  readonly instrumentation: string | null;
  /** Only on calls that a verification made. */
  readonly pair: PairMark | null;
}

export const modes = ["live", "test"] as const;
export type Mode = (typeof modes)[number];

export const eventSources = [
  "gateway",
  "ingest",
  "otlp",
  "shadow", // a verification sent an agent's request to a second model
  "judge", // a verification had two answers compared
] as const;
export type EventSource = (typeof eventSources)[number];

/** Calls of verifications cost money, but they are not the agent's: they are in no other number about it. */
export function isVerification(source: string): boolean {
  return source === "shadow" || source === "judge";
}

export const pairKinds = [
  "candidate", // the candidate model answers a request that production has answered
  "control", // the production model answers it a second time, to measure the judge
] as const;
export type PairKind = (typeof pairKinds)[number];

export const taskCategories = [
  "structured",
  "tool_use",
  "classification",
  "code",
  "summarization",
  "open_ended",
] as const;
export type TaskCategory = (typeof taskCategories)[number];

/** Which pair of answers a call was made for. */
export interface PairMark {
  /** Of the verification. */
  readonly request_id: string;
  /** The event of the production call. */
  readonly pair_id: string;
  readonly kind: PairKind;
  /** On the last call of a graded pair; a pair without one is void. */
  readonly result: PairResult | null;
}

export interface PairResult {
  /** The second answer beside the first: -1 clearly worse, 0 as good, 1 clearly better. */
  readonly score: number;
  /** The rule that decided, or `judge`. */
  readonly grader: string;
  readonly category: TaskCategory;
}

export const eventStatuses = [
  "success",
  "error", // the provider answered with an error, or its answer broke off
  "timeout",
  "cancelled", // the client left
  "interrupted", // we died; settled at the estimate on restart
] as const;
export type EventStatus = (typeof eventStatuses)[number];

export const usageSources = ["provider", "estimated", "none"] as const;
export type UsageSource = (typeof usageSources)[number];

export const costBases = [
  "priced", // tokens × rates of price_version
  "reported", // the provider's own billed amount
  "estimated", // the same as priced, on counted instead of reported tokens
  "unpriced", // no price is known: not zero, unknown
] as const;
export type CostBasis = (typeof costBases)[number];

/** Work of another model within the same call, at that model's rates. */
export interface AdditionalUsage {
  readonly model: string;
  readonly usage: Usage;
  readonly price_version: string | null;
}

/** What the wire shows of an event: the same record with its time as text, under the id that its sender knows. */
export function toWireEvent(
  event: Event,
): Omit<Event, "created_at" | "external_id"> & { created_at: string } {
  const { external_id, ...known } = event;
  return {
    ...known,
    id: external_id ?? event.id,
    created_at: new Date(event.created_at).toISOString(),
  };
}
