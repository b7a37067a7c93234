/**
 * Owners name their agents, sessions and customers: `auth0|5f7c`, `jane+test@example.com`, `team #7`, `Zoë`. One rule
 * for every source (headers, events, telemetry): any visible text, stored verbatim and compared exactly. No Unicode
 * normalization: two texts that only look alike are two ids.
 */
export const CALLER_ID_RULE = "must be 1 to 256 printable characters";

/** Nearly every id matches this, without Unicode tables. */
const plain = /^[\x21-\x7e][\x20-\x7e]{0,255}$/;
/**
 * No control, format (bidi, zero-width), line-breaking or unassigned characters, no lone surrogates, and no other
 * character without a glyph.
 */
const printable = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]{1,256}$/u;
/** Turns the preceding character into an emoji, as in `❤️`: the only variation selector that people type. */
const emojiSelector = /(?<=[\p{Extended_Pictographic}--\p{Emoji_Presentation}])\ufe0f/gv;
/** The empty braille pattern is blank, but Unicode does not classify it as a space. */
const visible = /[^\s\u2800]/u;

export function isCallerId(text: string): boolean {
  if (plain.test(text)) return true;
  // Replaced, not removed, because it counts as a character.
  const judged = text.includes("\ufe0f") ? text.replace(emojiSelector, "x") : text;
  return printable.test(judged) && visible.test(judged);
}
