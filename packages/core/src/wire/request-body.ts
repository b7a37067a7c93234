import { fail, type TollgateError } from "../errors.ts";

/** The same for every POST of both planes. */
export const MAX_BODY_BYTES = 10_485_760;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** The caller limits depth and size. */
export function parseJsonObject(
  bytes: Uint8Array,
  parse: (text: string) => unknown = JSON.parse,
): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(decoder.decode(bytes));
  } catch {
    // The parser's own message may quote the body.
    throw fail("invalid_json", "the request body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw fail("invalid_json", "the request body must be a JSON object");
  }
  return value as Readonly<Record<string, unknown>>;
}

export function tooLarge(maxBytes: number = MAX_BODY_BYTES): TollgateError {
  return fail("payload_too_large", `the request body is larger than ${maxBytes} bytes`);
}
