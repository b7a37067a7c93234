import type { Event } from "@tollgate/core/event";
import type { IngestedCall } from "@tollgate/core/ingestion/call";
import { inputTokens, outputTokens } from "@tollgate/core/money/usage";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId } from "@tollgate/core/provider-id";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import type { Settlement } from "@tollgate/storage/ledger/settling";
import { priceIngested } from "./price-ingested.ts";

export interface IngestionOrigin {
  readonly source: "ingest" | "otlp";
  readonly endpoint: string;
}

/** The event of an ingested call. It belongs to the key's organization, even if it claims another one. */
export function toSettlement(
  id: string,
  call: IngestedCall,
  caller: GatewayCaller,
  origin: IngestionOrigin,
  catalogue: Catalogue,
): Settlement {
  const { provider, model } = nameOf(call, catalogue);
  const { money, cards } = priceIngested(call, provider, model, catalogue);
  const usage = call.usage ?? {};
  const event: Event = {
    id,
    external_id: call.externalId,
    org_id: caller.orgId,
    mode: caller.mode,
    key_id: caller.keyId,
    created_at: call.createdAtMs,
    source: origin.source,
    endpoint: origin.endpoint,
    stream: call.stream,
    agent_key: call.agentKey,
    session_id: call.sessionId,
    customer_id: call.customerId,
    config_version: call.configVersion,
    provider,
    model,
    requested_model: call.model,
    served_model: call.servedModel,
    status: call.status,
    http_status: null,
    error_code: call.errorCode,
    latency_ms: call.latencyMs,
    ttft_ms: call.ttftMs,
    input_tokens: inputTokens(usage),
    output_tokens: outputTokens(usage),
    usage,
    additional_usage: null,
    usage_source: money.usage_source,
    cost_microcents: money.cost_microcents,
    cost_basis: money.cost_basis,
    price_version: money.price_version,
    service_tier: call.serviceTier,
    response_id: call.responseId,
    request_hash: null,
    prefix_hash: null,
    experiment_id: null,
    arm: null,
    budget_flags: null,
    trace_id: call.span === null ? null : call.span.traceId,
    span_id: call.span === null ? null : call.span.spanId,
    instrumentation: call.span === null ? null : call.span.instrumentation,
    pair: null,
  };
  return { event, cards };
}

/** `openai/gpt-4o-mini` names both, as in calls; for an unknown model the provider is `unknown`. */
function nameOf(call: IngestedCall, catalogue: Catalogue): { provider: string; model: string } {
  const slash = call.model.indexOf("/");
  const prefix = call.model.slice(0, slash);
  const bare = call.model.slice(slash + 1);
  if (slash > 0 && bare !== "" && isProviderId(prefix) && (call.provider ?? prefix) === prefix) {
    return { provider: prefix, model: bare };
  }
  return { provider: call.provider ?? catalogue.providerOf(call.model) ?? "unknown", model: call.model };
}
