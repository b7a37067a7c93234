const beyondAscii = /[\x80-\xff]/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A header value arrives as one character per byte. Clients send non-ASCII text as UTF-8 or, like `fetch`, as Latin-1;
 * bytes that are valid UTF-8 are hardly ever anything else.
 */
export function decodeHeaderText(value: string): string {
  if (!beyondAscii.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}
