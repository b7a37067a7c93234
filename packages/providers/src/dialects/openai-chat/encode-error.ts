import type { CanonicalError } from "../../canonical/answer.ts";

/** The error body of every OpenAI endpoint. */
export function encodeError(error: CanonicalError): string {
  return JSON.stringify({ error: errorFields(error) });
}

export function errorFields(error: CanonicalError): Record<string, unknown> {
  return {
    message: error.message,
    type: error.type ?? typeByStatus(error.status),
    param: error.param ?? null,
    code: error.code ?? null,
  };
}

/** Clients branch on `type`, so it is never missing. */
function typeByStatus(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/**
 * Ends a broken stream without `[DONE]`: official clients have thrown by then, and a client that skips unknown frames
 * would take it for the end of a complete answer.
 */
export function encodeErrorFrame(error: CanonicalError): string {
  return `data: ${encodeError(error)}\n\n`;
}
