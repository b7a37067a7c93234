import type { CanonicalError } from "../canonical/answer.ts";
import { readErrorBody } from "../openai/decode-error.ts";

/** `{"code":"invalid-argument","error":"<sentence>"}`, for a bad key too (status 400). */
export function decodeError(status: number, body: unknown): CanonicalError {
  return readErrorBody(status, body) ?? { status, message: `xAI answered with status ${status}` };
}
