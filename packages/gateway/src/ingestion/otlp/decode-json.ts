import { readAttributes } from "@tollgate/core/ingestion/attributes";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { type AttributeValue, type OtlpSpan, UndecodableError } from "./span.ts";

/** The same request in JSON: lowerCamelCase, ids in hex, 64-bit integers as text or numbers. */
export function* decodeJson(body: JsonObject): Generator<OtlpSpan> {
  for (const resourceSpans of objects(body, "resourceSpans")) {
    for (const scopeSpans of objects(resourceSpans, "scopeSpans")) {
      const scope = scopeOf(scopeSpans);
      for (const span of objects(scopeSpans, "spans")) yield decodeSpan(span, scope);
    }
  }
}

function scopeOf({ scope }: JsonObject): string {
  return isJsonObject(scope) && typeof scope.name === "string" ? scope.name : "";
}

function decodeSpan(span: JsonObject, scope: string): OtlpSpan {
  return {
    traceId: hexOf(span, "traceId"),
    spanId: hexOf(span, "spanId"),
    isRoot: hexOf(span, "parentSpanId") === "",
    scope,
    startNanos: nanosOf(span, "startTimeUnixNano"),
    endNanos: nanosOf(span, "endTimeUnixNano"),
    statusCode: statusCodeOf(span),
    attributes: attributesOf(span),
  };
}

function attributesOf(span: JsonObject): Map<string, AttributeValue> {
  const attributes = new Map<string, AttributeValue>();
  for (const { key, value } of objects(span, "attributes")) {
    if (typeof key !== "string" || !readAttributes.has(key) || !isJsonObject(value)) continue;
    const decoded = decodeValue(value);
    if (decoded !== null) attributes.set(key, decoded);
  }
  return attributes;
}

function decodeValue(value: JsonObject): AttributeValue | null {
  const { stringValue, boolValue, intValue, doubleValue } = value;
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  const number = intValue ?? doubleValue;
  if (typeof number === "number") return number;
  return typeof number === "string" && number.trim() !== "" ? Number(number) : null;
}

function statusCodeOf(span: JsonObject): number {
  const status = span.status;
  const code = isJsonObject(status) ? status.code : null;
  if (typeof code === "number") return code;
  // Not allowed by OTLP, but some emitters send the enum's name.
  return code === "STATUS_CODE_ERROR" ? 2 : 0;
}

function hexOf(span: JsonObject, name: string): string {
  const id = span[name] ?? "";
  if (typeof id !== "string") throw new UndecodableError(`${name} is not text`);
  return id.toLowerCase();
}

function nanosOf(span: JsonObject, name: string): bigint {
  const nanos = span[name] ?? 0;
  if (typeof nanos === "number" && Number.isFinite(nanos) && nanos >= 0) return BigInt(Math.trunc(nanos));
  if (typeof nanos === "string" && /^\d{1,20}$/.test(nanos)) return BigInt(nanos);
  throw new UndecodableError(`${name} is not a number of nanoseconds`);
}

function objects(fields: JsonObject, name: string): JsonObject[] {
  const list = fields[name] ?? [];
  if (!Array.isArray(list) || !list.every(isJsonObject)) {
    throw new UndecodableError(`${name} is not a list of objects`);
  }
  return list;
}
