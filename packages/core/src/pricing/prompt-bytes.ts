/**
 * How much prompt a request body holds, for the estimate of a call whose usage nobody states. In a small body the
 * JSON around the text does not matter. In a large one, images and files do: a token is four bytes of text, not of
 * base64, and providers count a picture by its size in pixels.
 */
const SMALL_BYTES = 16 * 1024;
const MEDIA_TOKENS = 1000;
const BYTES_PER_TOKEN = 4;
const MEDIA_CHARACTERS = 1024;

export function promptBytes(body: unknown, bodyBytes: number): number {
  return bodyBytes <= SMALL_BYTES ? bodyBytes : Math.min(bodyBytes, textBytes(body));
}

/** Walks without recursion: a body of 10 MB may be nested very deep. */
function textBytes(body: unknown): number {
  let bytes = 0;
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string")
      bytes += isMedia(value) ? MEDIA_TOKENS * BYTES_PER_TOKEN : Buffer.byteLength(value);
    else if (typeof value === "number" || typeof value === "boolean") bytes += BYTES_PER_TOKEN;
    else if (typeof value === "object" && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        if (!Array.isArray(value)) bytes += name.length;
        waiting.push(item);
      }
    }
  }
  return bytes;
}

function isMedia(text: string): boolean {
  if (text.length < MEDIA_CHARACTERS) return false;
  return text.startsWith("data:") || /^[A-Za-z0-9+/_-]+$/.test(text.slice(0, 512));
}
