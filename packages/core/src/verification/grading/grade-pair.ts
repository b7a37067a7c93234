import type { ComparedAnswer, ComparedRequest } from "../compared-call.ts";
import { equalityRule } from "./equality-rule.ts";
import { failureRule, isUsable } from "./failure-rule.ts";
import type { Grade } from "./grade.ts";
import { validityRule } from "./validity-rule.ts";

export type Grading =
  | ({ readonly kind: "graded" } & Grade)
  /** The rules cannot decide. */
  | { readonly kind: "ask_judge" }
  /** The production model itself failed, which shows nothing about the candidate. */
  | { readonly kind: "no_pair" };

/** Rules decide first, the most certain one first. Only the rest costs money. */
export function gradePair(
  request: ComparedRequest,
  production: ComparedAnswer,
  candidate: ComparedAnswer,
): Grading {
  if (production.kind === "failed") return { kind: "no_pair" };
  if (!isUsable(production) || !isUsable(candidate)) {
    return { kind: "graded", score: failureRule(production, candidate), grader: "failure" };
  }
  const byValidity = validityRule(request, production, candidate);
  if (byValidity !== null) return { kind: "graded", score: byValidity, grader: "validity" };
  if (equalityRule(request, production, candidate)) return { kind: "graded", score: 0, grader: "equality" };
  return { kind: "ask_judge" };
}

/**
 * The production model compared with itself. Pairs exist only if the first answer did not fail; counting only failures
 * of the second would look like a judge that prefers the first.
 */
export function gradeControl(
  request: ComparedRequest,
  first: ComparedAnswer,
  second: ComparedAnswer,
): Grading {
  return second.kind === "failed" ? { kind: "no_pair" } : gradePair(request, first, second);
}
