/**
 * Long-context rates apply to a single pass of the model, but usage may be a sum over several: after each server tool
 * call the model reads the whole prompt again. Ten searches for a short question add up to 400,000 input tokens, though
 * the last and longest pass read only about 75,000.
 */
interface SummedPasses {
  /** All input of all passes. */
  readonly inputTokens: number;
  readonly passes: number;
  /** Input of the first pass: reported, or estimated from the prompt. */
  readonly firstInput: number;
  readonly contextWindow: number | null;
}

/**
 * Estimates the longest pass from the sum. A prompt only grows from pass to pass, so the last pass is the longest.
 * If it grows evenly, the last is twice the mean minus the first. That is exact for two passes; for more, it is
 * between the minimum (the mean) and the maximum that the sum allows. No pass exceeds the model's context window.
 */
export function longestPass({ inputTokens, passes, firstInput, contextWindow }: SummedPasses): number {
  if (passes < 2) return inputTokens;
  const mean = inputTokens / passes;
  const last = 2 * mean - Math.min(firstInput, mean);
  const longest = Math.ceil(Math.max(last, Math.min(firstInput, inputTokens)));
  return contextWindow === null ? longest : Math.min(longest, contextWindow);
}
