import { fail } from "@tollgate/core/errors";
import { refuseUnsafe } from "./refuse-unsafe.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** No body at all is an empty object: where fields are required, their absence is told by name. */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    // The parser's own sentence may quote the body.
    throw fail("invalid_json", "the request body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw fail("invalid_json", "the request body must be a JSON object");
  }
  refuseUnsafe(value);
  return { ...value };
}
