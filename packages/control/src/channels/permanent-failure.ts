import type { Attempt } from "../kernel/transport.ts";

/** Nothing was sent, and nothing will be, until somebody changes what the sentence names. */
export function hopeless(error: string): Attempt {
  return { outcome: "hopeless", httpStatus: null, error, answer: null, retryAfterMs: null };
}
