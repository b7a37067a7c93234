import { fail } from "@tollgate/core/errors";
import { parseExactly } from "@tollgate/core/wire/exact-json";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { parseJsonObject } from "@tollgate/core/wire/request-body";
import type { Dialect } from "@tollgate/providers/dialect";
import { isNestedDeeperThan } from "./nesting-depth.ts";
import type { Parsed } from "./routed.ts";

const MAX_NESTING = 256;

export function parseBody(bytes: Uint8Array<ArrayBuffer>, dialect: Dialect): Parsed {
  // A translated body is re-encoded: an order id in a tool's arguments must keep all its digits.
  const body = parseObject(bytes, parseExactly);
  return { bytes, body, summary: dialect.summarize(body) };
}

export function parseObject(bytes: Uint8Array, parse?: (text: string) => unknown): JsonObject {
  if (isNestedDeeperThan(MAX_NESTING, bytes)) throw tooDeep();
  return parseJsonObject(bytes, parse);
}

export function tooDeep() {
  return fail("invalid_request", `the request is nested deeper than ${MAX_NESTING} levels`);
}
