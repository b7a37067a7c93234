import type { ComparedAnswer, GivenAnswer } from "../compared-call.ts";

/** An unusable answer (failed, refused or empty) loses to a usable one. Two unusable answers are tied. */
export function failureRule(production: ComparedAnswer, candidate: ComparedAnswer): number {
  return Number(isUsable(candidate)) - Number(isUsable(production));
}

export function isUsable(answer: ComparedAnswer): answer is GivenAnswer {
  return answer.kind === "given" && (answer.toolCalls.length > 0 || answer.text.trim() !== "");
}
