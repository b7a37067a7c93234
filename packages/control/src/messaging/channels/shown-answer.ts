import { cleanText } from "@tollgate/core/wire/clean-text";

const MAX_LENGTH = 1024;

/** A receiver's response, as it is stored and shown; null: none. */
export function shownAnswer(text: string): string | null {
  return cleanText(text, MAX_LENGTH) || null;
}
