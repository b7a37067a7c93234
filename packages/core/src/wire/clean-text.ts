/**
 * Text that came from users, as one line that can only be read as text: it breaks no header, hides nothing, turns no
 * reading direction around, and has an end.
 */
export function cleanText(text: string, maxLength: number): string {
  const line = text
    .toWellFormed()
    // What ends a line or drives a terminal becomes a space, so that words stay apart.
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    // Bidi marks, zero-width characters, tags and fillers: invisible, and made to deceive.
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  const letters = [...line];
  return letters.length <= maxLength ? line : `${letters.slice(0, maxLength - 1).join("")}…`;
}
