import type { CanonicalError } from "../canonical/answer.ts";
import type { BilledRefusal } from "../provider.ts";

/**
 * xAI charges for requests that violate its usage guidelines, although it answers them with an error that states no
 * amount: the Responses API a fee, the chat API what was processed.
 */
export function billedRefusal({ status, message }: CanonicalError, path: string): BilledRefusal | null {
  if (status !== 403 || !/violates usage guidelines/i.test(message)) return null;
  return path.startsWith("/v1/responses") ? "fee" : "prompt";
}
