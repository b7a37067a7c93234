/**
 * Long-context rates apply to a single model iteration, but usage may be a sum over several: after each server tool
 * call the model reads the whole prompt again. Ten searches for a short question add up to 400,000 input tokens, while
 * the last and largest iteration read only about 75,000.
 */
export interface SummedIterations {
  /** Total input of all iterations. */
  readonly inputTokens: number;
  readonly iterations: number;
  /** Input of the first iteration, if it was reported. */
  readonly firstInput: number | null;
  /** Estimated tokens of all tool results: by so much the last iteration is larger than the first. */
  readonly resultTokens: number;
  /** The prompt as estimated from its text; null: the request does not contain all of it, or not as text. */
  readonly shownTokens: number | null;
  readonly contextWindow: number | null;
}

export interface LargestPrompt {
  readonly tokens: number;
  /** What it may be, as far as the first iteration is not known. */
  readonly least: number;
  readonly most: number;
}

/** Text has 2.5 to 5 bytes per token, and is estimated at four. */
const MOST_PER_ESTIMATED_TOKEN = 1.6;
const LEAST_PER_ESTIMATED_TOKEN = 0.8;

/**
 * Estimates the largest iteration from the sum. A prompt only grows from one to the next, so the last is the largest.
 * If it grows evenly, the last is twice the mean minus the first: exact for two iterations, and for more between the
 * minimum (the mean) and the maximum that the sum allows. If the first was not reported, the last is the mean plus half
 * of what the tools returned, within what the request's text allows. None exceeds the model's context window.
 */
export function estimateLargestPrompt(summed: SummedIterations): LargestPrompt {
  const { inputTokens, iterations, firstInput, resultTokens, shownTokens } = summed;
  const inWindow = (tokens: number) => Math.ceil(Math.min(tokens, summed.contextWindow ?? tokens));
  if (iterations < 2) return exactly(inputTokens);
  const mean = inputTokens / iterations;
  const lastAfter = (first: number) => 2 * mean - Math.min(first, mean);
  if (firstInput !== null) {
    return exactly(inWindow(Math.max(lastAfter(firstInput), Math.min(firstInput, inputTokens))));
  }
  const shown = shownTokens ?? 0;
  const most = lastAfter(shown * LEAST_PER_ESTIMATED_TOKEN);
  const least = shownTokens === null ? mean : lastAfter(shown * MOST_PER_ESTIMATED_TOKEN);
  const likely = Math.min(Math.max(mean + resultTokens / 2, least), most);
  return { tokens: inWindow(likely), least: inWindow(least), most: inWindow(most) };
}

/** For a prompt whose length was reported. */
export function exactly(tokens: number): LargestPrompt {
  return { tokens, least: tokens, most: tokens };
}
