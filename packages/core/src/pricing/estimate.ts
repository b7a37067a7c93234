/**
 * Usage where the provider has told us none: a stream that was cut, a call in flight when we died. An estimate is
 * marked as one on its event. It errs towards what a provider would bill, never beyond what the call allowed.
 */
import { type Usage, usageOf } from "../usage.ts";

const BYTES_PER_TOKEN = 4;

/** How much answer a call is taken to have had when the process died and nobody knows for how long it ran. */
const UNSEEN_OUTPUT_TOKENS = 1000;

/** Before a model's own pace is known. Above what most models write, so that the unknown is not billed too low. */
export const DEFAULT_TOKENS_PER_SECOND = 200;

export function estimateTokens(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / BYTES_PER_TOKEN);
}

/** The answer was seen, in part or in whole. */
export function estimateUsage(seen: { readonly promptBytes: number; readonly outputBytes: number }): Usage {
  return usageOf({ input: estimateTokens(seen.promptBytes), output: estimateTokens(seen.outputBytes) });
}

/** What a model wrote in that time, seen or not. Models bill what they think before the first visible word. */
export function tokensWritten(elapsedMs: number, tokensPerSecond: number, outputBound: number): number {
  return Math.min(Math.ceil((Math.max(0, elapsedMs) * tokensPerSecond) / 1000), outputBound);
}

/**
 * The answer was not seen at all, and the time it had is not known. Callers set `max_tokens` far above what they need,
 * so the limit itself would bill a crash at many times the truth: it only lowers the estimate.
 */
export function unseenTokens(outputBound: number): number {
  return Math.min(outputBound, UNSEEN_OUTPUT_TOKENS);
}
