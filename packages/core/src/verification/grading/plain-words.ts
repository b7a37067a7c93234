const OPENING = /^["'`*_([{«“‘„¡¿]+/;
const CLOSING = /[.,;:!?…"'`*_)\]}»”’]+$/;

/**
 * A text without case, spacing, and the punctuation around words: "**Yes.**" and "yes" are the same answer. Punctuation
 * inside words stays, and so do signs: "-5" is not "5", "C#" is not "C".
 */
export function plainWords(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== "")
    .map(word => word.replace(OPENING, "").replace(CLOSING, "") || word)
    .join(" ");
}
