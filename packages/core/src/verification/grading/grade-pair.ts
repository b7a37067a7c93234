import type { ComparedAnswer, ComparedRequest } from "../compared-call.ts";
import { equalityRule } from "./equality-rule.ts";
import { failureRule, isUsable } from "./failure-rule.ts";
import type { Grade } from "./grade.ts";
import { validityRule } from "./validity-rule.ts";

export type Grading =
  | ({ readonly kind: "graded" } & Grade)
  /** Rules cannot tell. */
  | { readonly kind: "ask_judge" }
  /** The production model itself failed: that says nothing about the candidate. */
  | { readonly kind: "no_pair" };

/** What rules can decide, rules decide, the most certain first. Only the rest costs money. */
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
 * The production model beside itself. Pairs exist only where the first answer did not fail; counting failures of the
 * second alone would look like a judge that prefers the first.
 */
export function gradeControl(
  request: ComparedRequest,
  first: ComparedAnswer,
  second: ComparedAnswer,
): Grading {
  return second.kind === "failed" ? { kind: "no_pair" } : gradePair(request, first, second);
}
