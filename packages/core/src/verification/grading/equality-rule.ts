import { parseExactly } from "../../wire/exact-json.ts";
import { parseJson } from "../../wire/parse-json.ts";
import type { ComparedRequest, ComparedToolCall, GivenAnswer } from "../compared-call.ts";
import { plainWords } from "./plain-words.ts";
import { sameJson } from "./same-json.ts";

/** In a longer text (perhaps code) case and punctuation may matter: it has to be equal except for outer spaces. */
const SHORT_TEXT_CHARS = 200;

/** Calls may be in any order; beyond this number, the order has to be the same. */
const MAX_MATCHED_CALLS = 32;

/** Two computations of one number differ by less; numbers with different meanings differ by more. */
const NUMBER_TOLERANCE = 1e-9;

/** Whether two answers are equivalent, so that no judge is needed. */
export function equalityRule(
  request: ComparedRequest,
  production: GivenAnswer,
  candidate: GivenAnswer,
): boolean {
  if (production.toolCalls.length > 0 || candidate.toolCalls.length > 0) {
    // An agent acts on the calls; the text around them does not matter.
    return sameCalls(production.toolCalls, candidate.toolCalls);
  }
  if (production.text.trim() === candidate.text.trim()) return true;
  if (request.output.kind !== "text") return sameJsonText(production.text, candidate.text);
  return (
    Math.max(production.text.length, candidate.text.length) <= SHORT_TEXT_CHARS &&
    plainWords(production.text) === plainWords(candidate.text)
  );
}

function sameCalls(calls: readonly ComparedToolCall[], others: readonly ComparedToolCall[]): boolean {
  if (calls.length !== others.length) return false;
  if (calls.length > MAX_MATCHED_CALLS) {
    return calls.every((call, index) => {
      const other = others[index];
      return other !== undefined && sameCall(call, other);
    });
  }
  const left = [...others];
  return calls.every(call => {
    const index = left.findIndex(other => sameCall(call, other));
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

function sameCall(call: ComparedToolCall, other: ComparedToolCall): boolean {
  return (
    call.name === other.name &&
    (call.arguments === other.arguments || sameJsonText(call.arguments, other.arguments))
  );
}

function sameJsonText(text: string, other: string): boolean {
  const value = parseJson(text, parseExactly);
  return value !== undefined && sameJson(value, parseJson(other, parseExactly), NUMBER_TOLERANCE);
}
