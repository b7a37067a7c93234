import { DEFAULT_AGENT } from "@tollgate/core/agents/default-agent";
import { type EventStatus, eventStatuses } from "@tollgate/core/event";
import type { SpanField } from "@tollgate/core/ingestion/attributes";
import {
  faultOfTime,
  type IngestedCall,
  MAX_CONFIG_VERSION,
  MAX_COST_MICROCENTS,
  MAX_LATENCY_MS,
  MAX_TOKENS,
  namePattern,
} from "@tollgate/core/ingestion/call";
import { mapProvider } from "@tollgate/core/ingestion/provider";
import { usageOfCounts } from "@tollgate/core/ingestion/usage";
import { dollarsToMicrocents } from "@tollgate/core/money/dollars-to-microcents";
import { MICROCENTS_PER_DOLLAR, type Microcents, microcents } from "@tollgate/core/money/money";
import { CALLER_ID_RULE, isCallerId } from "@tollgate/core/wire/caller-id";
import { isCall } from "./is-call.ts";
import type { OtlpSpan } from "./span.ts";
import { SpanReader } from "./span-reader.ts";

type ReadSpan =
  | { readonly kind: "call"; readonly call: IngestedCall }
  | { readonly kind: "other" } // not a model call: accepted and ignored
  | { readonly kind: "rejected"; readonly error: string };

const STATUS_ERROR = 2;
const NANOS_PER_MS = 1_000_000n;

class RejectedSpan extends Error {}

export function readSpan(span: OtlpSpan, nowMs: number): ReadSpan {
  const reader = new SpanReader(span);
  if (!isCall(reader)) return { kind: "other" };
  try {
    return { kind: "call", call: readCall(span, reader, nowMs) };
  } catch (fault) {
    if (fault instanceof RejectedSpan) return { kind: "rejected", error: fault.message };
    throw fault;
  }
}

function readCall(span: OtlpSpan, reader: SpanReader, nowMs: number): IngestedCall {
  if (!/^(?!0+$)[0-9a-f]{32}$/.test(span.traceId)) throw new RejectedSpan("the trace id is not valid");
  if (!/^(?!0+$)[0-9a-f]{16}$/.test(span.spanId)) throw new RejectedSpan("the span id is not valid");
  const createdAt = span.startNanos === 0n ? nowMs : Number(span.startNanos / NANOS_PER_MS);
  const fault = faultOfTime(createdAt, nowMs);
  if (fault) throw new RejectedSpan(`the start ${fault}`);
  const servedModel = name(reader, "servedModel");
  const model = name(reader, "model") ?? servedModel;
  if (model === null) throw new RejectedSpan("the span is a call to a model and names none");
  const provider = reader.text("provider");
  return {
    identity: ["otlp", span.traceId, span.spanId],
    externalId: null,
    createdAtMs: createdAt,
    agentKey: id(reader, "agent") ?? DEFAULT_AGENT,
    sessionId: id(reader, "session"),
    customerId: id(reader, "customer"),
    configVersion: configVersion(reader),
    provider: provider === null ? null : (mapProvider(provider.slice(0, 256)) ?? "unknown"),
    model,
    servedModel,
    status: statusOf(span, reader),
    errorCode: errorCode(reader),
    latencyMs: milliseconds(reader.number("latencyMs")) ?? durationOf(span),
    ttftMs: ttftOf(reader),
    stream: reader.value("stream") === true || reader.value("stream") === "true",
    usage: usageOfCounts({
      input: tokens(reader, "input"),
      output: tokens(reader, "output"),
      cacheRead: tokens(reader, "cacheRead"),
      cacheWrite: tokens(reader, "cacheWrite"),
      inputAudio: tokens(reader, "inputAudio"),
      inputImage: tokens(reader, "inputImage"),
      reasoning: tokens(reader, "reasoning"),
      outputAudio: tokens(reader, "outputAudio"),
    }),
    cost: costOf(reader),
    serviceTier: bounded(reader.text("serviceTier")),
    responseId: bounded(reader.text("responseId")),
    gatewayEventId: bounded(reader.text("eventId")),
    span: {
      traceId: span.traceId,
      spanId: span.spanId,
      isRoot: span.isRoot,
      instrumentation: span.scope.slice(0, 256),
    },
  };
}

/** Verbatim; our own attribute wins even if empty, because an empty value is deliberate. */
function configVersion(reader: SpanReader): string | null {
  const version = reader.value("configVersion");
  if (version === null) return null;
  const text = String(version);
  if (text.length > MAX_CONFIG_VERSION) {
    throw new RejectedSpan(`config_version must be at most ${formatCount(MAX_CONFIG_VERSION)} characters`);
  }
  return text || null;
}

function statusOf(span: OtlpSpan, reader: SpanReader): EventStatus {
  const reported = reader.text("status");
  const known = eventStatuses.find(status => status === reported);
  if (known) return known;
  return span.statusCode === STATUS_ERROR || reader.text("errorType") !== null ? "error" : "success";
}

function durationOf(span: OtlpSpan): number {
  // Without a start there is no duration: the end alone would count from 1970.
  if (span.startNanos === 0n || span.endNanos <= span.startNanos) return 0;
  const duration = Number((span.endNanos - span.startNanos + NANOS_PER_MS / 2n) / NANOS_PER_MS);
  return Math.min(duration, MAX_LATENCY_MS);
}

function ttftOf(reader: SpanReader): number | null {
  const seconds = reader.number("ttftSeconds");
  return (
    milliseconds(reader.number("ttftMs")) ?? milliseconds(seconds === undefined ? undefined : seconds * 1000)
  );
}

function milliseconds(value: number | undefined): number | null {
  return value !== undefined && value >= 0 && value <= MAX_LATENCY_MS ? Math.round(value) : null;
}

/** Some emitters send counts as doubles. A malformed count is an error, not a zero. */
function tokens(reader: SpanReader, field: SpanField): number | undefined {
  const count = reader.number(field);
  if (count === undefined) return undefined;
  if (!(count >= 0 && count <= MAX_TOKENS)) {
    throw new RejectedSpan(`a token count must be a number from 0 to ${formatCount(MAX_TOKENS)}`);
  }
  return Math.round(count);
}

function costOf(reader: SpanReader): Microcents | null {
  const reported = reader.number("costMicrocents");
  if (reported !== undefined) {
    if (!(reported >= 0 && reported <= MAX_COST_MICROCENTS)) {
      throw new RejectedSpan(
        `cost_microcents must be a number from 0 to ${formatCount(MAX_COST_MICROCENTS)}`,
      );
    }
    return microcents(Math.round(reported));
  }
  const dollars = reader.value("costDollars");
  if (dollars === null || typeof dollars === "boolean" || dollars === "") return null;
  const amount = dollarsToMicrocents(dollars);
  if (amount === null || amount > MAX_COST_MICROCENTS) {
    const most = formatCount(MAX_COST_MICROCENTS / MICROCENTS_PER_DOLLAR);
    throw new RejectedSpan(`llm.cost.total must be an amount from 0 to ${most} dollars`);
  }
  return amount;
}

function name(reader: SpanReader, field: SpanField): string | null {
  const text = reader.text(field);
  if (text !== null && !namePattern.test(text)) {
    throw new RejectedSpan("a model's name must be 1 to 256 printable ASCII characters");
  }
  return text;
}

/** An empty attribute counts as absent, like null in an event: telemetry has no null. */
function id(reader: SpanReader, field: "agent" | "session" | "customer"): string | null {
  const text = reader.text(field);
  if (text !== null && !isCallerId(text)) throw new RejectedSpan(`${idNames[field]} ${CALLER_ID_RULE}`);
  return text;
}

const idNames = { agent: "agent_id", session: "session_id", customer: "customer_id" } as const;

/** Emitters use arbitrary codes: invalid characters become `_`, and long codes are truncated. */
function errorCode(reader: SpanReader): string | null {
  const text = reader.text("errorType");
  return text === null ? null : text.slice(0, 256).replace(/[^\w.:@/-]/g, "_");
}

function bounded(text: string | null): string | null {
  return text === null ? null : text.slice(0, 256);
}

function formatCount(count: number): string {
  return count.toLocaleString("en");
}
