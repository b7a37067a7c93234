import { readAttributes } from "@tollgate/core/ingestion/attributes";
import { MAX_VALUES, tooManyValues } from "../../request/parse-body.ts";
import type { AttributeValue, OtlpSpan } from "./span.ts";
import { WireReader } from "./wire-reader.ts";

/** The spans of an ExportTraceServiceRequest, one by one. Throws `UndecodableError`. */
export function* decodeProtobuf(bytes: Uint8Array): Generator<OtlpSpan> {
  const count = new ValueCount();
  for (const resourceSpans of messages(new WireReader(bytes), 1, count)) {
    for (const scopeSpans of messages(resourceSpans, 2, count)) {
      // Spans may precede their scope, so the scope is read first.
      const scope = scopeOf(scopeSpans.copy(), count);
      for (const span of messages(scopeSpans, 2, count)) yield decodeSpan(span, scope, count);
    }
  }
}

/** Of spans and attributes: 10 MB may hold millions. */
class ValueCount {
  #values = 0;

  add(): void {
    if (++this.#values > MAX_VALUES) throw tooManyValues();
  }
}

function* messages(reader: WireReader, number: number, count: ValueCount): Generator<WireReader> {
  for (let field = reader.nextField(); field; field = reader.nextField()) {
    const message = field.number === number ? reader.message(field) : reader.skip(field);
    if (!message) continue;
    count.add();
    yield message;
  }
}

function scopeOf(scopeSpans: WireReader, count: ValueCount): string {
  let name = "";
  for (const scope of messages(scopeSpans, 1, count)) {
    for (let field = scope.nextField(); field; field = scope.nextField()) {
      if (field.number === 1) name = scope.text(field) ?? name;
      else scope.skip(field);
    }
  }
  return name;
}

function decodeSpan(reader: WireReader, scope: string, count: ValueCount): OtlpSpan {
  let traceId = "";
  let spanId = "";
  let isRoot = true;
  let startNanos = 0n;
  let endNanos = 0n;
  let statusCode = 0;
  const attributes = new Map<string, AttributeValue>();
  for (let field = reader.nextField(); field; field = reader.nextField()) {
    switch (field.number) {
      case 1:
        traceId = hex(reader.slice(field));
        break;
      case 2:
        spanId = hex(reader.slice(field));
        break;
      case 4:
        isRoot = hex(reader.slice(field)) === "";
        break;
      case 7:
        startNanos = reader.fixed64(field) ?? startNanos;
        break;
      case 8:
        endNanos = reader.fixed64(field) ?? endNanos;
        break;
      case 9: {
        count.add();
        const attribute = reader.message(field);
        if (attribute) decodeAttribute(attribute, attributes);
        break;
      }
      case 15: {
        const status = reader.message(field);
        if (status) statusCode = decodeStatusCode(status);
        break;
      }
      default:
        reader.skip(field);
    }
  }
  return { traceId, spanId, isRoot, scope, startNanos, endNanos, statusCode, attributes };
}

function decodeAttribute(reader: WireReader, attributes: Map<string, AttributeValue>): void {
  let key = "";
  let value: WireReader | null = null;
  for (let field = reader.nextField(); field; field = reader.nextField()) {
    if (field.number === 1) key = reader.text(field) ?? key;
    else if (field.number === 2) value = reader.message(field) ?? value;
    else reader.skip(field);
  }
  // Decoded only now: an attribute that we do not read may well be a prompt.
  if (value === null || !readAttributes.has(key)) return;
  const decoded = decodeValue(value);
  if (decoded !== null) attributes.set(key, decoded);
}

function decodeValue(reader: WireReader): AttributeValue | null {
  let value: AttributeValue | null = null;
  for (let field = reader.nextField(); field; field = reader.nextField()) {
    if (field.number === 1) value = reader.text(field) ?? value;
    else if (field.number === 2) value = toBoolean(reader.varint(field)) ?? value;
    else if (field.number === 3) value = toNumber(reader.varint(field)) ?? value;
    else if (field.number === 4) value = reader.double(field) ?? value;
    else reader.skip(field);
  }
  return value;
}

function decodeStatusCode(reader: WireReader): number {
  let code = 0;
  for (let field = reader.nextField(); field; field = reader.nextField()) {
    if (field.number === 3) code = Number(reader.varint(field) ?? code);
    else reader.skip(field);
  }
  return code;
}

function toBoolean(value: bigint | null): boolean | null {
  return value === null ? null : value !== 0n;
}

function toNumber(value: bigint | null): number | null {
  return value === null ? null : Number(BigInt.asIntN(64, value));
}

function hex(bytes: Uint8Array | null): string {
  return bytes === null ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}
