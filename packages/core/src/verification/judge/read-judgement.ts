import { isJsonObject } from "../../wire/json-fields.ts";
import { parseJson } from "../../wire/parse-json.ts";

export interface Judgement {
  readonly better: "X" | "tie" | "Y";
  readonly degree: "slight" | "clear";
}

/**
 * Exactly the requested format, or null. A judge that writes anything else has not understood its task, or has followed
 * instructions in an answer: guessing its intention would let such an answer decide.
 */
export function readJudgement(text: string): Judgement | null {
  const value = parseJson(text);
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return null;
  const { better, degree } = value;
  if (better !== "X" && better !== "tie" && better !== "Y") return null;
  if (degree !== "slight" && degree !== "clear") return null;
  return { better, degree };
}
