import type { Attempt } from "../../kernel/transport.ts";

/** Nothing was sent, and retrying cannot help until somebody fixes what the message names. */
export function permanentFailure(error: string): Attempt {
  return { outcome: "permanent_failure", httpStatus: null, error, answer: null, retryAfterMs: null };
}
