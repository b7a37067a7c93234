const MAX_LENGTH = 80;

/** A name that a caller chose, without the control, bidi and zero-width characters that could disguise it. */
export function plainName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, "")
    .trim();
  return plain === "" ? "(no name)" : plain;
}

export function shortName(name: string, maxLength = MAX_LENGTH): string {
  const letters = [...plainName(name)];
  return letters.length <= maxLength ? letters.join("") : `${letters.slice(0, maxLength - 1).join("")}…`;
}
