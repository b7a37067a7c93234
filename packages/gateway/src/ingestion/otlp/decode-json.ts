import { readAttributes } from "@tollgate/core/ingestion/attributes";
import { type AttributeValue, type OtlpSpan, UndecodableError } from "./span.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The same request in JSON: lowerCamelCase, ids in hex, 64-bit numbers as text or as numbers. */
export function* decodeJson(body: Fields): Generator<OtlpSpan> {
  for (const resourceSpans of objects(body, "resourceSpans")) {
    for (const scopeSpans of objects(resourceSpans, "scopeSpans")) {
      const scope = scopeOf(scopeSpans);
      for (const span of objects(scopeSpans, "spans")) yield decodeSpan(span, scope);
    }
  }
}

function scopeOf({ scope }: Fields): string {
  return isObject(scope) && typeof scope.name === "string" ? scope.name : "";
}

function decodeSpan(span: Fields, scope: string): OtlpSpan {
  return {
    traceId: hexOf(span, "traceId"),
    spanId: hexOf(span, "spanId"),
    scope,
    startNanos: nanosOf(span, "startTimeUnixNano"),
    endNanos: nanosOf(span, "endTimeUnixNano"),
    statusCode: statusCodeOf(span),
    attributes: attributesOf(span),
  };
}

function attributesOf(span: Fields): Map<string, AttributeValue> {
  const attributes = new Map<string, AttributeValue>();
  for (const { key, value } of objects(span, "attributes")) {
    if (typeof key !== "string" || !readAttributes.has(key) || !isObject(value)) continue;
    const decoded = decodeValue(value);
    if (decoded !== null) attributes.set(key, decoded);
  }
  return attributes;
}

function decodeValue(value: Fields): AttributeValue | null {
  const { stringValue, boolValue, intValue, doubleValue } = value;
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  const number = intValue ?? doubleValue;
  if (typeof number === "number") return number;
  return typeof number === "string" && number.trim() !== "" ? Number(number) : null;
}

function statusCodeOf(span: Fields): number {
  const status = span.status;
  const code = isObject(status) ? status.code : null;
  if (typeof code === "number") return code;
  // Not allowed by OTLP, but some emitters write the enum's name.
  return code === "STATUS_CODE_ERROR" ? 2 : 0;
}

function hexOf(span: Fields, name: string): string {
  const id = span[name] ?? "";
  if (typeof id !== "string") throw new UndecodableError(`${name} is not text`);
  return id.toLowerCase();
}

function nanosOf(span: Fields, name: string): bigint {
  const nanos = span[name] ?? 0;
  if (typeof nanos === "number" && Number.isFinite(nanos) && nanos >= 0) return BigInt(Math.trunc(nanos));
  if (typeof nanos === "string" && /^\d{1,20}$/.test(nanos)) return BigInt(nanos);
  throw new UndecodableError(`${name} is not a number of nanoseconds`);
}

function objects(fields: Fields, name: string): Fields[] {
  const list = fields[name] ?? [];
  if (!Array.isArray(list) || !list.every(isObject)) {
    throw new UndecodableError(`${name} is not a list of objects`);
  }
  return list;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
