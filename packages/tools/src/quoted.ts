import { cleanText } from "@tollgate/core/wire/clean-text";

const MAX_LENGTH = 80;

/** Quotes a user's text, so that it cannot be mistaken for ours. */
export function quoted(name: string, maxLength = MAX_LENGTH): string {
  return JSON.stringify(cleanText(name, maxLength));
}
