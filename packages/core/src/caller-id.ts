/**
 * Agents, sessions and customers are named by their owners: `auth0|5f7c`, `jane+test@example.com`, `team #7`, `Zoë`.
 * One rule for every way in (headers, events, telemetry): any text that can be seen, kept verbatim and compared
 * exactly. No Unicode normalization: two texts that only look alike are two ids.
 */
export const CALLER_ID_RULE = "must be 1 to 256 printable characters";

/** What nearly every id looks like, decided without Unicode tables. */
const plain = /^[\x21-\x7e][\x20-\x7e]{0,255}$/;
/** No control, format (bidi, zero-width) or line-breaking characters, and no half of a surrogate pair. */
const printable = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u;

export function isCallerId(text: string): boolean {
  return plain.test(text) || (printable.test(text) && text.trim() !== "");
}
