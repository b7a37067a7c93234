import type { Progress } from "./progress.ts";

/** What is left cannot pay for two more pairs of the same mean cost. Before the first pair no cost is known. */
export function isSpent(
  maxSpendMicrocents: number,
  { pairs, controls, spentMicrocents }: Pick<Progress, "pairs" | "controls" | "spentMicrocents">,
): boolean {
  const left = maxSpendMicrocents - spentMicrocents;
  const graded = pairs + controls;
  return left <= 0 || (graded > 0 && left * graded < 2 * spentMicrocents);
}
