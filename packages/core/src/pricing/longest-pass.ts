/**
 * Rates of long prompts apply to a pass of the model, and usage may add up several: a server tool runs, and the model
 * reads everything again. The sum says nothing about any one pass: ten searches of a short question add up to 400,000
 * tokens of which the last pass read 75,000.
 */
export interface SummedPasses {
  /** All input of all passes. */
  readonly inputTokens: number;
  readonly passes: number;
  /** What the first pass read: told, or estimated from the prompt. */
  readonly firstInput: number;
  readonly contextWindow: number | null;
}

/**
 * The longest pass, where only the sum is known. Each pass reads what the one before read, and what its tools found, so
 * the last is the longest. With evenly growing prompts it is twice the mean less the first. For two passes that is
 * exact, for more it lies between what must have been (the mean) and what can have been. No pass is longer than the
 * model's context window.
 */
export function longestPass({ inputTokens, passes, firstInput, contextWindow }: SummedPasses): number {
  if (passes < 2) return inputTokens;
  const mean = inputTokens / passes;
  const last = 2 * mean - Math.min(firstInput, mean);
  const longest = Math.ceil(Math.max(last, Math.min(firstInput, inputTokens)));
  return contextWindow === null ? longest : Math.min(longest, contextWindow);
}
