/**
 * User text as a single line of plain text: it cannot break a header, hide anything or change the reading direction,
 * and its length is limited.
 */
export function cleanText(text: string, maxLength: number): string {
  const line = text
    .toWellFormed()
    // Line breaks and terminal controls become a space, so that words stay separate.
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    // Bidi marks, zero-width characters, tags and fillers: invisible, and used to deceive.
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  const letters = [...line];
  return letters.length <= maxLength ? line : `${letters.slice(0, maxLength - 1).join("")}…`;
}
