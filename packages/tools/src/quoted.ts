import { cleanText } from "@tollgate/core/wire/clean-text";

const MAX_LENGTH = 80;

/** A name that a user chose: in quotes, so that it cannot pass for a sentence of ours. */
export function quoted(name: string, maxLength = MAX_LENGTH): string {
  return JSON.stringify(cleanText(name, maxLength));
}
