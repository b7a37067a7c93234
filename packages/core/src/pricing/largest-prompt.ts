/**
 * Long-context rates apply to a single model iteration, but usage may be a sum over several: after each server tool
 * call the model reads the whole prompt again. Ten searches for a short question add up to 400,000 input tokens, while
 * the last and largest iteration read only about 75,000.
 */
interface SummedIterations {
  /** Total input of all iterations. */
  readonly inputTokens: number;
  readonly iterations: number;
  /** Input of the first iteration: reported, or estimated from the prompt. */
  readonly firstInput: number;
  readonly contextWindow: number | null;
}

/**
 * Estimates the largest iteration from the sum. A prompt only grows from one to the next, so the last is the largest.
 * If it grows evenly, the last is twice the mean minus the first. That is exact for two iterations; for more, it is
 * between the minimum (the mean) and the maximum that the sum allows. No iteration exceeds the model's context window.
 */
export function estimateLargestPrompt({
  inputTokens,
  iterations,
  firstInput,
  contextWindow,
}: SummedIterations): number {
  if (iterations < 2) return inputTokens;
  const mean = inputTokens / iterations;
  const last = 2 * mean - Math.min(firstInput, mean);
  const largest = Math.ceil(Math.max(last, Math.min(firstInput, inputTokens)));
  return contextWindow === null ? largest : Math.min(largest, contextWindow);
}
