const encoder = new TextEncoder();

const BYTES_PER_TOKEN = 4;

/** The simulator's only rule for usage: four UTF-8 bytes are a token, rounded up. */
export function countTokens(text: string): number {
  return Math.ceil(encoder.encode(text).length / BYTES_PER_TOKEN);
}

/** Images and files have no text, so each one counts the same. */
export const MEDIA_TOKENS = 258;

/** The longest prefix of `text` within `tokens`. Never splits a character. */
export function takeTokens(text: string, tokens: number): string {
  const limit = Math.max(0, Math.floor(tokens)) * BYTES_PER_TOKEN;
  let bytes = 0;
  let taken = "";
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > limit) break;
    taken += character;
  }
  return taken;
}
