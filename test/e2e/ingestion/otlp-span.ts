import { randomBytes } from "node:crypto";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanChange {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly startMs?: number;
  readonly durationMs?: number;
  readonly statusCode?: number;
}

/** A span in OTLP's JSON, with new ids unless given. */
export function otlpSpan(attributes: Attributes, change: SpanChange = {}) {
  const startMs = change.startMs ?? Date.now() - 1000;
  return {
    traceId: change.traceId ?? randomBytes(16).toString("hex"),
    spanId: change.spanId ?? randomBytes(8).toString("hex"),
    parentSpanId: change.parentSpanId ?? "",
    name: "span",
    kind: 3,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + (change.durationMs ?? 120)}000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) })),
    status: { code: change.statusCode ?? 0 },
  };
}

export function otlpRequest(...spans: readonly unknown[]) {
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: "t" }, spans }] }] };
}

function anyValue(value: string | number | boolean) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
