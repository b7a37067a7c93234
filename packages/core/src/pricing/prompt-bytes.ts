import { BYTES_PER_TOKEN } from "./estimate.ts";

/**
 * The size of the prompt in a request body, for estimates if usage is unknown. In a small body the JSON syntax does not
 * matter. In a large one, images and files do: a token is four bytes of text, not of base64, and providers count an
 * image by its size in pixels.
 */
const SMALL_BYTES = 16 * 1024;
const MEDIA_TOKENS = 1000;
const MEDIA_CHARACTERS = 1024;
/**
 * Fields whose long strings are images, audio, files or encrypted reasoning. In any other field a long string is text.
 */
const mediaFields: ReadonlySet<string> = new Set([
  "data",
  "url",
  "image_url",
  "file_data",
  "file_url",
  "signature",
  "encrypted_content",
  "thoughtSignature",
  "thought_signature",
]);

/** Assumed size of a conversation stored at the provider, which the request only references. */
const STORED_TOKENS = 10_000;
const storedFields = ["previous_response_id", "conversation"] as const;

export function promptBytes(body: unknown, bodyBytes: number): number {
  const sent = bodyBytes <= SMALL_BYTES ? bodyBytes : Math.min(bodyBytes, textBytes(body));
  return sent + storedBytes(body);
}

/** The result of a server tool, as seen in the stream. It contains pages and files as the model reads them. */
export function toolResultBytes(result: unknown): number {
  return textBytes(result, nothingIsMedia);
}

const nothingIsMedia: ReadonlySet<string> = new Set();

function storedBytes(body: unknown): number {
  if (!hasInside(body)) return 0;
  const fields = body as Readonly<Record<string, unknown>>;
  let bytes = 0;
  for (const name of storedFields) if (fields[name]) bytes += STORED_TOKENS * BYTES_PER_TOKEN;
  return bytes;
}

/**
 * Iterates without recursion, because a body of 10 MB may be deeply nested. It may also contain five million numbers,
 * and this blocks the event loop: only objects and lists are pushed, and no element costs an allocation.
 */
function textBytes(body: unknown, media = mediaFields): number {
  let bytes = bytesOf("", body, media);
  const waiting: object[] = hasInside(body) ? [body] : [];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const item: unknown = value[index];
        if (hasInside(item)) waiting.push(item);
        else bytes += bytesOf("", item, media);
      }
      continue;
    }
    const fields = value as Readonly<Record<string, unknown>>;
    for (const name in fields) {
      const item = fields[name];
      bytes += name.length;
      if (hasInside(item)) waiting.push(item);
      else bytes += bytesOf(name, item, media);
    }
  }
  return bytes;
}

function hasInside(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The bytes of a single value in a field of that name. */
function bytesOf(name: string, value: unknown, media: ReadonlySet<string>): number {
  if (typeof value === "string")
    return isMedia(name, value, media) ? MEDIA_TOKENS * BYTES_PER_TOKEN : Buffer.byteLength(value);
  return typeof value === "number" || typeof value === "boolean" ? BYTES_PER_TOKEN : 0;
}

function isMedia(name: string, text: string, media: ReadonlySet<string>): boolean {
  return text.length >= MEDIA_CHARACTERS && media.has(name);
}
