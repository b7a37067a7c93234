import type { Attempt } from "../kernel/transport.ts";

/** Nothing was sent, and nothing will be, until somebody changes what the sentence names. */
export function permanentFailure(error: string): Attempt {
  return { outcome: "permanent_failure", httpStatus: null, error, answer: null, retryAfterMs: null };
}
