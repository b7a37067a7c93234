import { DEFAULT_AGENT } from "@tollgate/core/agents/default-agent";
import type { IngestedCall } from "@tollgate/core/ingestion/call";
import type { CallFacts, ComparedCall } from "@tollgate/core/ingestion/same-call";
import { inputTokens, outputTokens, type Usage } from "@tollgate/core/money/usage";
import { spanIdOf, traceIdOf } from "@tollgate/core/wire/traceparent";
import type { CallRow } from "@tollgate/storage/ledger/find-events";
import type { CallInFlight } from "../call/in-flight.ts";
import { plausibleReading } from "../pricing/plausible-reading.ts";

/** The ledger stores 256 characters of provider text. */
export const RESPONSE_ID_LENGTH = 256;

/** An ingested call, for comparison with events. */
export function comparedIngested(ingested: IngestedCall): ComparedCall {
  return {
    startedAtMs: ingested.createdAtMs,
    endedAtMs: ingested.createdAtMs + ingested.latencyMs,
    models: modelsOf(ingested.model, ingested.servedModel),
    usage: knownTokens(ingested.usage),
    isEstimated: false,
    isFailed: ingested.status !== "success",
    agentKey: namedAgent(ingested.agentKey),
    sessionId: ingested.sessionId,
    customerId: ingested.customerId,
    isOfAnthropicClient: ingested.span !== null && isAnthropicClient(ingested.span.instrumentation),
    isRoot: ingested.span?.isRoot ?? false,
    statesCost: ingested.cost !== null,
    responseId: ingested.responseId === null ? null : ingested.responseId.slice(0, RESPONSE_ID_LENGTH),
    traceId: ingested.span === null ? null : ingested.span.traceId,
    spanId: ingested.span === null ? null : ingested.span.spanId,
  };
}

/** A ledger event, for comparison with an ingested call. `isRoot` is not stored, so it is unknown after a restart. */
export function comparedEvent(row: CallRow, isRoot = false): ComparedCall {
  return {
    startedAtMs: row.created_at,
    endedAtMs: row.created_at + row.latency_ms,
    models: modelsOf(row.model, row.requested_model, row.served_model),
    // The ledger itself wrote this column.
    usage: knownTokens(JSON.parse(row.usage) as Usage),
    isEstimated: row.usage_source === "estimated",
    isFailed: row.status !== "success",
    agentKey: namedAgent(row.agent_key),
    sessionId: row.session_id,
    customerId: row.customer_id,
    isOfAnthropicClient:
      row.source === "gateway"
        ? row.endpoint === "/v1/messages"
        : row.instrumentation !== null && isAnthropicClient(row.instrumentation),
    // The span of a gateway call is not known: the one that arrives decides.
    isRoot: isRoot || row.source === "gateway",
    statesCost: row.source === "otlp" && row.cost_basis === "reported",
    responseId: row.response_id,
    traceId: row.trace_id,
    spanId: row.span_id,
  };
}

/** As if the call ended now: until its provider reports usage, it may still fail without any. */
export function comparedInFlight({ call, meter }: CallInFlight): CallFacts {
  const reading = plausibleReading(meter);
  return {
    models: modelsOf(call.model, call.summary.model, reading.servedModel),
    usage: reading.usage === null ? null : knownTokens(reading.usage),
    isEstimated: false,
    isFailed: reading.usage === null,
    responseId: reading.responseId === null ? null : reading.responseId.slice(0, RESPONSE_ID_LENGTH),
    traceId: call.traceparent === null ? null : traceIdOf(call.traceparent),
    spanId: call.traceparent === null ? null : spanIdOf(call.traceparent),
  };
}

/** `openai/gpt-4o-mini` and `gpt-4o-mini` are one name. */
export function modelsOf(...names: readonly (string | null)[]): string[] {
  return names.filter(name => name !== null).map(name => name.slice(name.indexOf("/") + 1));
}

/** `com.anthropic.sdk.python`: the client itself reports its calls. */
function isAnthropicClient(instrumentation: string): boolean {
  return instrumentation.startsWith("com.anthropic.sdk");
}

function namedAgent(agentKey: string): string | null {
  return agentKey === DEFAULT_AGENT ? null : agentKey;
}

function knownTokens(usage: Usage | null): Usage | null {
  return usage !== null && inputTokens(usage) + outputTokens(usage) > 0 ? usage : null;
}
