/**
 * Usage where the provider reported none: a stream that was cut, a call in flight at a crash. An estimate is marked
 * as one on its event. It leans towards what a provider would bill, never beyond what the call allowed.
 */
import { type Usage, usageOf } from "../money/usage.ts";

export const BYTES_PER_TOKEN = 4;

/** The assumed output of a call in flight at a crash, whose duration is unknown. */
const UNSEEN_OUTPUT_TOKENS = 1000;

/** Before a model's own pace is known. Above what most models write, so that the unknown is not billed too low. */
export const DEFAULT_TOKENS_PER_SECOND = 200;

export function estimateTokens(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / BYTES_PER_TOKEN);
}

/**
 * What the model reads of a use of the provider's own tool, where the stream does not show it. OpenAI bills a search of
 * small models as 8,000 tokens, and recorded loops of searches grow by about that much each. A file search hands over 20
 * pieces of 800 tokens, unless the caller asks for fewer.
 */
const UNSEEN_RESULT_TOKENS: ReadonlyMap<string, number> = new Map([
  ["web_search", 8000],
  ["x_search", 8000],
  ["web_fetch", 8000],
  ["file_search", 16_000],
]);
/** Of tools that answer briefly: code, an MCP server. */
const BRIEF_RESULT_TOKENS = 1000;

export function unseenResultTokens(tool: string): number {
  return UNSEEN_RESULT_TOKENS.get(tool) ?? BRIEF_RESULT_TOKENS;
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
