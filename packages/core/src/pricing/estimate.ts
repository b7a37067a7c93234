/**
 * Usage where the provider has told us none: a stream that was cut, a call in flight when we died. An estimate is
 * marked as one on its event; it must be plausible, bounded, and never the reason for an absurd bill.
 */
import { type Usage, usageOf } from "../usage.ts";

const BYTES_PER_TOKEN = 4;

/** How much answer a call is taken to have had when nobody saw it. */
const UNSEEN_OUTPUT_TOKENS = 1000;

export function estimateTokens(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / BYTES_PER_TOKEN);
}

/** The answer was seen, in part or in whole. */
export function estimateUsage(seen: { readonly promptBytes: number; readonly outputBytes: number }): Usage {
  return usageOf({ input: estimateTokens(seen.promptBytes), output: estimateTokens(seen.outputBytes) });
}

/**
 * The answer was not seen. Callers set `max_tokens` far above what they need, so the limit itself would bill a
 * crash at many times the truth: it only lowers the estimate. It is as the caller wrote it, sense or nonsense.
 */
export function reserveUsage(sent: {
  readonly promptBytes: number;
  readonly maxOutputTokens: number | null;
}): Usage {
  const limit = sent.maxOutputTokens;
  const usable = limit !== null && Number.isSafeInteger(limit) && limit >= 0;
  const output = usable ? Math.min(limit, UNSEEN_OUTPUT_TOKENS) : UNSEEN_OUTPUT_TOKENS;
  return usageOf({ input: estimateTokens(sent.promptBytes), output });
}
