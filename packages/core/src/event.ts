import type { Microcents } from "./money/money.ts";
import type { Usage } from "./money/usage.ts";

/**
 * The one fact that a call ends in. Field names are those of the wire format: the ledger, the API, webhooks and the CLI
 * all use them, and nothing translates between them.
 */
export interface Event {
  readonly id: string;
  /** The id that an ingested event was sent with; null for gateway calls. On the wire it is `id`. */
  readonly external_id: string | null;
  readonly org_id: string;
  /** Test traffic (`sk_test_` keys) is separate in every total, list and budget. */
  readonly mode: Mode;
  /**
   * The API key with which the call was made or, for an ingested event, reported. null: recorded before keys were, or
   * made by a verification, which uses no client's key.
   */
  readonly key_id: string | null;
  /** When the call was admitted, which determines its period. Epoch milliseconds internally, ISO 8601 on the wire. */
  readonly created_at: number;
  readonly source: EventSource;
  readonly endpoint: string;
  readonly stream: boolean;
  readonly agent_key: string;
  readonly session_id: string | null;
  readonly customer_id: string | null;
  readonly config_version: string | null;
  /** One of ours for a gateway call; telemetry may name any other. */
  readonly provider: string;
  /** The name sent to the provider. */
  readonly model: string;
  /** As sent by the client (`openai/gpt-4o-mini`). */
  readonly requested_model: string;
  /** As named by the provider (`gpt-4o-mini-2024-07-18`); null if it never was. */
  readonly served_model: string | null;
  readonly status: EventStatus;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly latency_ms: number;
  readonly ttft_ms: number | null;
  /** All input, cached or not. */
  readonly input_tokens: number;
  /** All output, including reasoning. */
  readonly output_tokens: number;
  /** The breakdown: every token in exactly one kind. */
  readonly usage: Usage;
  readonly additional_usage: readonly AdditionalUsage[] | null;
  readonly usage_source: UsageSource;
  readonly cost_microcents: Microcents;
  readonly cost_basis: CostBasis;
  /** Identifies the rates by their content; the ledger stores them (`rate_cards`). */
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
  /** The instrumentation scope of the span that an event was created from; null for all other events. */
  readonly instrumentation: string | null;
  /** Only on calls made by a verification. */
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
type EventSource = (typeof eventSources)[number];

/** Calls of verifications cost money, but are not the agent's own: all other numbers about it exclude them. */
export function isVerification(source: string): boolean {
  return source === "shadow" || source === "judge";
}

export const pairKinds = [
  "candidate", // the candidate model answers a request that production has already answered
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

/** The pair of answers that a call was made for. */
export interface PairMark {
  /** The verification's id. */
  readonly request_id: string;
  /** The production call's event. */
  readonly pair_id: string;
  readonly kind: PairKind;
  /** On the last call of a graded pair; a pair without one is void. */
  readonly result: PairResult | null;
}

export interface PairResult {
  /** The second answer compared with the first: -1 clearly worse, 0 equally good, 1 clearly better. */
  readonly score: number;
  /** The rule that decided, or `judge`. */
  readonly grader: string;
  readonly category: TaskCategory;
}

export const eventStatuses = [
  "success",
  "error", // the provider answered with an error, or did not complete its answer
  "timeout",
  "cancelled", // the client left
  "interrupted", // the gateway died; settled at the estimate after a restart
] as const;
export type EventStatus = (typeof eventStatuses)[number];

export const usageSources = ["provider", "estimated", "none"] as const;
type UsageSource = (typeof usageSources)[number];

export const costBases = [
  "priced", // tokens × rates of price_version
  "reported", // the amount billed according to the provider
  "estimated", // like priced, but with counted instead of reported tokens
  "unpriced", // the cost is unknown, not zero
] as const;
export type CostBasis = (typeof costBases)[number];

/** Usage of another model within the same call, at that model's rates. */
export interface AdditionalUsage {
  readonly model: string;
  readonly usage: Usage;
  readonly price_version: string | null;
}

/** An event on the wire: the same record with its time as text, under the sender's id. */
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
