import { errorTypeOf, isErrorType } from "../../anthropic/error-type.ts";
import type { CanonicalError } from "../../canonical/answer.ts";

/** Another provider's word for the failure means nothing to this client: then the status names it. */
export function encodeError({ status, type, message }: CanonicalError): string {
  const named = type !== undefined && isErrorType(type) ? type : errorTypeOf(status);
  return JSON.stringify({ type: "error", error: { type: named, message } });
}
