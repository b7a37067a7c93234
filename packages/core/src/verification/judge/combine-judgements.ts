import type { Judgement } from "./read-judgement.ts";

/**
 * The candidate's score from two judgements of the same answers: in the first production is X, in the second it is Y. A
 * judge that prefers a position rather than an answer contradicts itself, which is a tie.
 */
export function combineJudgements(productionIsX: Judgement, productionIsY: Judgement): number {
  const [first, second] = [-scoreOfX(productionIsX), scoreOfX(productionIsY)];
  return first * second < 0 ? 0 : (first + second) / 2;
}

function scoreOfX({ better, degree }: Judgement): number {
  if (better === "tie") return 0;
  return (better === "X" ? 1 : -1) * (degree === "clear" ? 1 : 0.5);
}
