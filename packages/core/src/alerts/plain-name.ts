import { cleanText } from "../wire/clean-text.ts";

const MAX_LENGTH = 80;

/** Makes a user-chosen name safe to quote in our own sentence. */
export function plainName(name: string): string {
  return cleanText(name, MAX_LENGTH);
}
