import type { EventStatus } from "@tollgate/core/event";
import { readAttributes } from "@tollgate/core/ingestion/attributes";

/** A call to a model, reported with `report`. */
export interface CallReport {
  readonly model: string;
  readonly provider?: string;
  readonly agentId?: string;
  readonly sessionId?: string;
  readonly customerId?: string;
  /** All input, cached or not. */
  readonly inputTokens: number;
  /** All output, reasoning included. */
  readonly outputTokens: number;
  /** The cost, if known; otherwise the gateway computes it. */
  readonly costMicrocents?: number;
  readonly latencyMs: number;
  readonly status?: EventStatus;
  readonly configVersion?: string;
  /** The provider's response id; with it, a call that also went through the gateway is counted once. */
  readonly responseId?: string;
  /** Start time in epoch milliseconds; by default, the call has just ended. */
  readonly startedAt?: number;
}

/** The parts of an OpenTelemetry SDK span that are needed here. */
export interface FinishedSpan {
  readonly name: string;
  readonly kind: number;
  spanContext(): { readonly traceId: string; readonly spanId: string };
  readonly parentSpanContext?: { readonly spanId: string } | undefined;
  readonly startTime: readonly [seconds: number, nanos: number];
  readonly endTime: readonly [seconds: number, nanos: number];
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly instrumentationScope?: { readonly name: string } | undefined;
}

/** Two instrumentations may report the same call: the gateway distinguishes them by scope. */
export function scopeOf(span: FinishedSpan): string {
  return span.instrumentationScope?.name ?? OWN_SCOPE;
}

/** The scope of calls reported with `report`. */
export const OWN_SCOPE = "tollgate";

/** A span and its instrumentation scope. */
export interface ScopedSpan {
  readonly scope: string;
  readonly span: EncodedSpan;
}

/** The body of an export, grouped by scope. */
export function encodeExport(scopedSpans: readonly ScopedSpan[]) {
  const spansOf = new Map<string, EncodedSpan[]>();
  for (const { scope, span } of scopedSpans) {
    const spans = spansOf.get(scope);
    if (spans) spans.push(span);
    else spansOf.set(scope, [span]);
  }
  const scopeSpans = [...spansOf].map(([name, spans]) => ({ scope: { name }, spans }));
  return { resourceSpans: [{ scopeSpans }] };
}

export interface EncodedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly EncodedAttribute[];
  readonly status: { readonly code: number };
}

interface EncodedAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

const CLIENT = 3;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;

export function encodeReport(call: CallReport, nowMs: number): EncodedSpan {
  const startedAt = call.startedAt ?? nowMs - call.latencyMs;
  return {
    traceId: randomHex(16),
    spanId: randomHex(8),
    name: `chat ${call.model}`,
    kind: CLIENT,
    startTimeUnixNano: nanosOfMs(startedAt),
    endTimeUnixNano: nanosOfMs(startedAt + call.latencyMs),
    attributes: encodeAttributes({
      model: call.model,
      "svc.provider": call.provider,
      agent_id: call.agentId,
      session_id: call.sessionId,
      "svc.customer_id": call.customerId,
      input_tokens: call.inputTokens,
      output_tokens: call.outputTokens,
      cost_microcents: call.costMicrocents,
      latency_ms: Math.round(call.latencyMs),
      status: call.status ?? "success",
      "svc.config_version": call.configVersion,
      "svc.response_id": call.responseId,
    }),
    status: { code: call.status === "error" ? STATUS_ERROR : STATUS_UNSET },
  };
}

/** Exports only what the gateway reads: prompts and answers in attributes do not leave the process. */
export function encodeSpan(span: FinishedSpan): EncodedSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    ...(span.parentSpanContext && { parentSpanId: span.parentSpanContext.spanId }),
    name: span.name,
    kind: span.kind + 1, // the wire counts from 1, the API from 0
    startTimeUnixNano: nanosOf(span.startTime),
    endTimeUnixNano: nanosOf(span.endTime),
    attributes: encodeAttributes(span.attributes),
    status: { code: span.status.code },
  };
}

function encodeAttributes(attributes: Readonly<Record<string, unknown>>): EncodedAttribute[] {
  return Object.entries(attributes).flatMap(([key, value]): EncodedAttribute[] => {
    if (!readAttributes.has(key)) return [];
    if (typeof value === "string") return [{ key, value: { stringValue: value } }];
    if (typeof value === "boolean") return [{ key, value: { boolValue: value } }];
    if (typeof value !== "number" || !Number.isFinite(value)) return [];
    // In OTLP's JSON, 64-bit integers are strings.
    return [
      { key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } },
    ];
  });
}

function nanosOf([seconds, nanos]: readonly [number, number]): string {
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(Math.round(nanos)));
}

function nanosOfMs(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, byte => byte.toString(16).padStart(2, "0")).join("");
}
