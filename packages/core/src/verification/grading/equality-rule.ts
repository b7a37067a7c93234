import { parseExactly } from "../../wire/exact-json.ts";
import type { ComparedRequest, ComparedToolCall, GivenAnswer } from "../compared-call.ts";
import { parseJson } from "./parse-json.ts";
import { plainWords } from "./plain-words.ts";
import { sameJson } from "./same-json.ts";

/** In a longer text case and punctuation may matter (it may be code): it has to be the same, but for spaces around it. */
const SHORT_TEXT_CHARS = 200;

/** Calls may come in any order; of more than this many, the order has to be the same. */
const MOST_MATCHED_CALLS = 32;

/** Two computations of one number differ by less; two numbers that mean something else differ by more. */
const NUMBER_TOLERANCE = 1e-9;

/** Whether two answers say the same, so that no judge has to be asked. */
export function equalityRule(
  request: ComparedRequest,
  production: GivenAnswer,
  candidate: GivenAnswer,
): boolean {
  if (production.toolCalls.length > 0 || candidate.toolCalls.length > 0) {
    // What an agent acts on are the calls; the words around them are for nobody.
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
  if (calls.length > MOST_MATCHED_CALLS) {
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
