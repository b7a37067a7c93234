import type { Progress } from "./progress.ts";

/** The rest does not cover two more pairs at the mean cost so far, which is unknown before the first pair. */
export function isSpent(
  maxSpendMicrocents: number,
  { pairs, controls, spentMicrocents }: Pick<Progress, "pairs" | "controls" | "spentMicrocents">,
): boolean {
  const left = maxSpendMicrocents - spentMicrocents;
  const graded = pairs + controls;
  return left <= 0 || (graded > 0 && left * graded < 2 * spentMicrocents);
}
