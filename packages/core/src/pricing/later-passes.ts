/**
 * What the passes after the first read in a call that was cut. After each use of a tool that the provider runs
 * itself, the model reads the whole prompt again, with all results so far; the provider's count of the prompt comes
 * earlier and contains none of it.
 */
import { inputTokens, type Usage, usageOf } from "../money/usage.ts";
import { LARGEST_WINDOW } from "./largest-window.ts";

interface LaterPasses {
  readonly usage: Usage;
  /** The input of the longest pass, the first one included: it selects the rates of long prompts. */
  readonly longest: number;
}

/**
 * `results` holds, for each later pass, the tokens of all results that it read. What was cached, or written to the cache,
 * in the first pass is read from the cache in the others. No pass is longer than the model's context window.
 */
export function laterPasses(
  first: Usage,
  results: readonly number[],
  contextWindow: number | null,
): LaterPasses {
  const prompt = inputTokens(first);
  const cached = (first.cache_read ?? 0) + (first.cache_write ?? 0) + (first.cache_write_1h ?? 0);
  const window = contextWindow ?? LARGEST_WINDOW;
  let input = 0;
  let cacheRead = 0;
  let longest = prompt;
  for (const tokens of results) {
    const pass = Math.min(prompt + tokens, window);
    const fromCache = Math.min(cached, pass);
    input += pass - fromCache;
    cacheRead += fromCache;
    longest = Math.max(longest, pass);
  }
  return { usage: usageOf({ input, cache_read: cacheRead }), longest };
}
