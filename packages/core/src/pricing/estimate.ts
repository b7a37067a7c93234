/**
 * Usage for calls whose provider reported none: a stream that was cut off, a call in flight at a crash. Estimates are
 * marked on the event. They lean toward what a provider would bill, but never exceed what the call allowed.
 */
import { type Usage, usageOf } from "../money/usage.ts";

export const BYTES_PER_TOKEN = 4;

/** The assumed output of a call in flight at a crash, whose duration is unknown. */
const UNSEEN_OUTPUT_TOKENS = 1000;

/** Until a model's own pace is known. Higher than for most models, so that unknown output is not billed too low. */
export const DEFAULT_TOKENS_PER_SECOND = 200;

export function estimateTokens(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / BYTES_PER_TOKEN);
}

/**
 * Assumed size of a server tool's result if the stream does not show it. OpenAI bills a search on small models as 8,000
 * tokens, and recorded search loops grow by about that much each time. A file search returns 20 pieces of 800 tokens,
 * unless the caller asks for fewer.
 */
const UNSEEN_RESULT_TOKENS: ReadonlyMap<string, number> = new Map([
  ["web_search", 8000],
  ["x_search", 8000],
  ["web_fetch", 8000],
  ["file_search", 16_000],
]);
/** For tools with short results: code, an MCP server. */
const BRIEF_RESULT_TOKENS = 1000;

export function unseenResultTokens(tool: string): number {
  return UNSEEN_RESULT_TOKENS.get(tool) ?? BRIEF_RESULT_TOKENS;
}

/** The answer was seen, partly or completely. */
export function estimateUsage(seen: { readonly promptBytes: number; readonly outputBytes: number }): Usage {
  return usageOf({ input: estimateTokens(seen.promptBytes), output: estimateTokens(seen.outputBytes) });
}

/** What a model generated in that time, seen or not. Reasoning before the first visible word is billed. */
export function tokensWritten(elapsedMs: number, tokensPerSecond: number, outputBound: number): number {
  return Math.min(Math.ceil((Math.max(0, elapsedMs) * tokensPerSecond) / 1000), outputBound);
}

/**
 * The answer was not seen at all, and its duration is unknown. Callers set `max_tokens` far above what they need, so
 * using the limit itself would overcharge a crash many times over: it only lowers the estimate.
 */
export function unseenTokens(outputBound: number, choices: number): number {
  return Math.min(outputBound, choices * UNSEEN_OUTPUT_TOKENS);
}
