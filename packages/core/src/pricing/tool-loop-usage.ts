/**
 * The input of later iterations in a call that was cut off. After each use of a server tool, the model reads the whole
 * prompt again, with all results so far; the provider counts the prompt earlier and includes none of this.
 */
import { inputTokens, type Usage, usageOf } from "../money/usage.ts";
import { LARGEST_WINDOW } from "./largest-window.ts";

interface ToolLoopUsage {
  readonly usage: Usage;
  /** The input of the largest iteration, including the first: it selects the long-context rates. */
  readonly largest: number;
}

/**
 * `results`: for each later iteration, the tokens of all results that it read. What the first iteration read from the
 * cache or wrote to it, the others read from the cache. No iteration exceeds the model's context window.
 */
export function toolLoopUsage(
  first: Usage,
  results: readonly number[],
  contextWindow: number | null,
): ToolLoopUsage {
  const prompt = inputTokens(first);
  const cached = (first.cache_read ?? 0) + (first.cache_write ?? 0) + (first.cache_write_1h ?? 0);
  const window = contextWindow ?? LARGEST_WINDOW;
  let input = 0;
  let cacheRead = 0;
  let largest = prompt;
  for (const tokens of results) {
    const iteration = Math.min(prompt + tokens, window);
    const fromCache = Math.min(cached, iteration);
    input += iteration - fromCache;
    cacheRead += fromCache;
    largest = Math.max(largest, iteration);
  }
  return { usage: usageOf({ input, cache_read: cacheRead }), largest };
}
