import { cleanText } from "@tollgate/core/wire/clean-text";

const MAX_TEXT = 1000;
const MAX_NAME = 256;

/**
 * Names, notes and messages come from users or their customers and are read by a model, so they must not look like
 * anything but data: every text of an answer becomes one line of bounded length without control, bidi or invisible
 * characters.
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
