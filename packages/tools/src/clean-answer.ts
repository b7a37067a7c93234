import { cleanText } from "@tollgate/core/wire/clean-text";

const MAX_TEXT = 1000;
const MAX_NAME = 256;

/**
 * Names, notes and messages were written by users or their customers, and are read by a model: they must stay data.
 * Every text of an answer is one line of bounded length without control, bidi or invisible characters, whether a
 * user wrote it or not.
 */
export function cleanAnswer(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value, MAX_TEXT);
  if (Array.isArray(value)) return value.map(cleanAnswer);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [cleanText(name, MAX_NAME), cleanAnswer(inner)]),
  );
}
