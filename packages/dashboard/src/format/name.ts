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

/** Letters at the end that are always shown: names with the same beginning often differ at the end. */
const END_LETTERS = 8;
/** Hebrew, Arabic and their neighbours. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const letterSegmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * A name in two parts, of which the first can be cut. Short names have no second part, nor have names with letters that
 * are written from right to left: side by side, their parts would read in the wrong order.
 */
export function splitName(name: string): readonly [start: string, end: string] {
  const plain = plainName(name);
  if (RIGHT_TO_LEFT.test(plain)) return [plain, ""];
  const letters = Array.from(letterSegmenter.segment(plain), ({ segment }) => segment);
  if (letters.length <= 2 * END_LETTERS) return [plain, ""];
  return [letters.slice(0, -END_LETTERS).join(""), letters.slice(-END_LETTERS).join("")];
}
