import { cleanText } from "@tollgate/core/wire/clean-text";

const MAX_LENGTH = 1024;

/** What a receiver answered, as it is kept and shown; null: nothing. */
export function shownAnswer(text: string): string | null {
  return cleanText(text, MAX_LENGTH) || null;
}
