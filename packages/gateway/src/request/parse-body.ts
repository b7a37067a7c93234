import { fail } from "@tollgate/core/errors";
import { parseExactly } from "@tollgate/core/wire/exact-json";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { measureJson, memoryOf } from "@tollgate/core/wire/measure-json";
import { parseJsonObject } from "@tollgate/core/wire/request-body";
import type { Dialect } from "@tollgate/providers/dialect";
import type { Parsed } from "./routed.ts";

const MAX_NESTING = 256;
/** More than any provider accepts: the longest request for embeddings has 300,000 tokens as numbers. */
export const MAX_VALUES = 500_000;

/** A body that may be parsed. */
interface MeasuredBody<Bytes extends Uint8Array = Uint8Array> {
  readonly bytes: Bytes;
  /** Of the bytes and of what is parsed from them. */
  readonly memoryBytes: number;
}

export function measureBody<Bytes extends Uint8Array>(bytes: Bytes): MeasuredBody<Bytes> {
  const size = measureJson(bytes);
  if (size.depth > MAX_NESTING) throw tooDeep();
  if (size.values > MAX_VALUES) throw tooManyValues();
  return { bytes, memoryBytes: memoryOf(bytes, size) };
}

export function parseBody(measured: MeasuredBody<Uint8Array<ArrayBuffer>>, dialect: Dialect): Parsed {
  // A translated body is re-encoded: an order id in a tool's arguments must keep all its digits.
  const body = parseObject(measured, parseExactly);
  return { bytes: measured.bytes, body, summary: dialect.summarize(body) };
}

export function parseObject({ bytes }: MeasuredBody, parse?: (text: string) => unknown): JsonObject {
  return parseJsonObject(bytes, parse);
}

export function tooDeep() {
  return fail("invalid_request", `the request is nested deeper than ${MAX_NESTING} levels`);
}

export function tooManyValues() {
  return fail("invalid_request", `the request holds more than ${MAX_VALUES.toLocaleString("en")} values`);
}
