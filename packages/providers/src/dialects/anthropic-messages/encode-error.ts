import { errorTypeOf, isErrorType } from "../../anthropic/error-type.ts";
import type { CanonicalError } from "../../canonical/answer.ts";

/** Another provider's error type means nothing to this client, so the status determines it. */
export function encodeError({ status, type, message }: CanonicalError): string {
  const named = type !== undefined && isErrorType(type) ? type : errorTypeOf(status);
  return JSON.stringify({ type: "error", error: { type: named, message } });
}
