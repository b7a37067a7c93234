import type { BilledViolations } from "../provider.ts";

/**
 * xAI charges for requests that violate its usage guidelines, although it answers them with an error that states no
 * amount: the Responses API a fee, the chat API what was processed.
 */
export const violations: BilledViolations = {
  isViolation: ({ status, message }) => status === 403 && /violates usage guidelines/i.test(message),
  billOf: path => (path.startsWith("/v1/responses") ? "fee" : "prompt"),
};
