import type { ComparedAnswer, GivenAnswer } from "../compared-call.ts";

/**
 * An answer that cannot be used loses to one that can: it failed, was refused, or is empty. Two that cannot be used are
 * as good as each other.
 */
export function failureRule(production: ComparedAnswer, candidate: ComparedAnswer): number {
  return Number(isUsable(candidate)) - Number(isUsable(production));
}

export function isUsable(answer: ComparedAnswer): answer is GivenAnswer {
  return answer.kind === "given" && (answer.toolCalls.length > 0 || answer.text.trim() !== "");
}
