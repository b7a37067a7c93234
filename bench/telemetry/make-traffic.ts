import type { IngestedCall } from "@tollgate/core/ingestion/call";
import type { LinkableCall } from "@tollgate/storage/ledger/find-events";

export interface TrafficOptions {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** Share of calls that bypass the gateway. */
  readonly directShare: number;
  /** Number of distinct pairs of input and output tokens. */
  readonly distinctTokens: number;
  /** Share of gateway calls whose client sends `traceparent`, from a span between its own and the call. */
  readonly tracedShare: number;
  /** Share of calls whose span is exported. */
  readonly spanShare: number;
  /** How far the client's clock is ahead of the gateway's. */
  readonly clockOffsetMs: number;
}

export interface Traffic {
  readonly events: readonly LinkableCall[];
  readonly spans: readonly { readonly call: IngestedCall; readonly isDirect: boolean }[];
}

const MODEL = "gpt-4o-mini";

/** Calls at random moments, through the gateway and directly, each with the span that OpenInference creates for it. */
export function makeTraffic(options: TrafficOptions, random: () => number): Traffic {
  const events: LinkableCall[] = [];
  const spans: { call: IngestedCall; isDirect: boolean; endedAt: number }[] = [];
  const lastsMs = (options.calls / options.callsPerSecond) * 1000;
  for (let at = 0; at < options.calls; at++) {
    const startedAt = Date.UTC(2026, 10, 15, 12) + Math.round(random() * lastsMs);
    // Log-normal, with a median of one second.
    const latencyMs = Math.round(1000 * Math.exp(0.7 * normal(random)));
    const size = Math.floor(random() * options.distinctTokens);
    const usage = { input: 100 + (size % 71), output: 20 + size };
    const isDirect = random() < options.directShare;
    const isTraced = random() < options.tracedShare;
    const traceId = at.toString(16).padStart(32, "0");
    if (!isDirect) {
      events.push(eventOf(at, startedAt, latencyMs, usage, isTraced ? traceId : null));
    }
    if (random() >= options.spanShare) continue;
    // A client needs a few milliseconds before and after the call; on a busy machine, many.
    const lead = 2 + exponential(random, 8);
    const trail = 2 + exponential(random, 15);
    const begin = Math.round(startedAt - lead + options.clockOffsetMs);
    const duration = Math.round(latencyMs + lead + trail);
    spans.push({ call: spanOf(at, begin, duration, usage, traceId), isDirect, endedAt: begin + duration });
  }
  events.sort((a, b) => a.created_at + a.latency_ms - (b.created_at + b.latency_ms));
  spans.sort((a, b) => a.endedAt - b.endedAt);
  return { events, spans };
}

function eventOf(
  at: number,
  createdAt: number,
  latencyMs: number,
  usage: { input: number; output: number },
  traceId: string | null,
): LinkableCall {
  return {
    id: `event-${at}`,
    org_id: "org",
    mode: "live",
    source: "gateway",
    endpoint: "/v1/chat/completions",
    created_at: createdAt,
    latency_ms: latencyMs,
    agent_key: "default",
    session_id: null,
    customer_id: null,
    model: MODEL,
    requested_model: MODEL,
    served_model: MODEL,
    status: "success",
    usage: JSON.stringify(usage),
    usage_source: "provider",
    cost_basis: "priced",
    response_id: `answer-${at}`,
    trace_id: traceId,
    span_id: traceId === null ? null : "1".repeat(16),
    instrumentation: null,
    linkedBy: [],
  };
}

function spanOf(
  at: number,
  createdAt: number,
  latencyMs: number,
  usage: { input: number; output: number },
  traceId: string,
): IngestedCall {
  return {
    identity: ["otlp", String(at)],
    externalId: null,
    createdAtMs: createdAt,
    agentKey: "default",
    sessionId: null,
    customerId: null,
    configVersion: null,
    provider: "openai",
    model: MODEL,
    servedModel: null,
    status: "success",
    errorCode: null,
    latencyMs,
    ttftMs: null,
    stream: false,
    usage,
    cost: null,
    serviceTier: null,
    responseId: null,
    gatewayEventId: null,
    span: {
      traceId,
      spanId: at.toString(16).padStart(16, "0"),
      isRoot: true,
      instrumentation: "openinference",
    },
  };
}

function exponential(random: () => number, mean: number): number {
  return -mean * Math.log(1 - random());
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
