const MAX_LENGTH = 80;
/** Control and direction characters: they would change how the sentence around them reads. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** A name that somebody else chose, fit to stand in a sentence of ours. */
export function plainName(name: string): string {
  const seen = name.replace(UNSEEN, " ").trim();
  return seen.length <= MAX_LENGTH ? seen : `${seen.slice(0, MAX_LENGTH - 1).toWellFormed()}…`;
}
