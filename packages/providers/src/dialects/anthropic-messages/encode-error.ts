import { errorTypeOf, isErrorType } from "../../anthropic/error-type.ts";
import type { CanonicalError } from "../../canonical/answer.ts";

/**
 * Another provider's error type means nothing to this client, so the status determines it. `invalid_request_error` is
 * also OpenAI's, for a bad key and an unknown model, too.
 */
export function encodeError({ status, type, message }: CanonicalError): string {
  const isOwn = type !== undefined && type !== "invalid_request_error" && isErrorType(type);
  const named = isOwn ? type : errorTypeOf(status);
  return JSON.stringify({ type: "error", error: { type: named, message } });
}
