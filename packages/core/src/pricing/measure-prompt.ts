import type { ProviderId } from "../provider-id.ts";
import { audioSeconds } from "./audio-seconds.ts";
import type { MediaBilling } from "./billing/billing.ts";
import { billingOf } from "./billing/registry.ts";
import { BYTES_PER_TOKEN, estimateTokens } from "./estimate.ts";
import type { PromptSize } from "./prompt-size.ts";

/**
 * The size of the prompt in a request body, for estimates if usage is unknown. In a small body the JSON syntax does not
 * matter. In a large one, images and files do: a token is four bytes of text, not of base64, and providers count an
 * image by its size in pixels, a document by its pages and audio by its duration.
 */
const SMALL_BYTES = 16 * 1024;
const IMAGE_TOKENS = 1000;
/** Shorter strings are counted as text. */
const MEDIA_CHARACTERS = 1024;
/** Of a PDF or an office document: between a page of text (about 30 KB) and a scanned one (about 100 KB). */
const PAGE_BYTES = 50_000;
/** Assumed size of a conversation, prompt or file stored elsewhere, which the request only references. */
const STORED_TOKENS = 10_000;
/** A single message of a stored conversation, or an earlier spoken answer. */
const STORED_ITEM_TOKENS = 1000;

type Medium = "image" | "document" | "audio";

/** The type of a part of a message, in any dialect. */
const mediumOfPart: ReadonlyMap<unknown, Medium> = new Map([
  ["image", "image"],
  ["image_url", "image"],
  ["input_image", "image"],
  ["computer_screenshot", "image"],
  ["document", "document"],
  ["file", "document"],
  ["input_file", "document"],
  ["input_audio", "audio"],
]);

/** Fields with the content of such a part, or a reference to it. In any other field a long string is text. */
const contentFields: ReadonlySet<string> = new Set([
  "data",
  "url",
  "image_url",
  "file_data",
  "file_url",
  "file_id",
]);
/** OpenAI's lifetime of what it caches: of the whole request, or up to a part. */
const lifetimeFields: ReadonlySet<string> = new Set(["prompt_cache_options", "prompt_cache_breakpoint"]);
/** Outside of a known part, such a field may also be text: the argument of a tool. */
const looksEncoded = /^(data:|[\w+/=-]{256})/;
/** Fields with encrypted reasoning. */
const opaqueFields: ReadonlySet<string> = new Set([
  "signature",
  "encrypted_content",
  "thoughtSignature",
  "thought_signature",
]);

export function measurePrompt(body: unknown, bodyBytes: number, provider: ProviderId): PromptSize {
  const { media, needsCacheMarks } = billingOf[provider];
  const walk = new PromptWalk(media);
  walk.read(body);
  return {
    bytes:
      bodyBytes <= SMALL_BYTES
        ? Math.max(0, bodyBytes - walk.replacedBytes)
        : Math.min(bodyBytes, walk.textBytes),
    mediaTokens: walk.mediaTokens + storedTokens(body),
    audioTokens: walk.audioTokens,
    cacheWrite: needsCacheMarks ? walk.cacheWrite : walk.longWrite,
  };
}

/** The result of a server tool, as seen in the stream. It contains pages and files as the model reads them. */
export function toolResultBytes(result: unknown): number {
  const walk = new PromptWalk(null);
  walk.read(result);
  return walk.textBytes;
}

function storedTokens(body: unknown): number {
  if (!hasInside(body)) return 0;
  const { previous_response_id, conversation, prompt } = body as Readonly<Record<string, unknown>>;
  let tokens = 0;
  if (previous_response_id) tokens += STORED_TOKENS;
  if (conversation) tokens += STORED_TOKENS;
  if (hasInside(prompt) && "id" in prompt) tokens += STORED_TOKENS;
  return tokens;
}

/**
 * Iterates without recursion, because a body of 10 MB may be deeply nested. It may also contain five million numbers,
 * and this blocks the event loop: only objects and lists are pushed, and no element costs an allocation.
 */
class PromptWalk {
  textBytes = 0;
  mediaTokens = 0;
  audioTokens = 0;
  /** Bytes of the strings that count as media, not as text. */
  replacedBytes = 0;
  cacheWrite: PromptSize["cacheWrite"] = null;
  /** If OpenAI caches the prompt, it does so for longer. */
  longWrite: PromptSize["cacheWrite"] = null;
  readonly #waiting: object[] = [];
  /** For each waiting value: the part that it belongs to. */
  readonly #media: (Medium | undefined)[] = [];

  constructor(
    /** null: everything is text. */
    private readonly billing: MediaBilling | null,
  ) {}

  read(body: unknown): void {
    if (hasInside(body)) this.#push(body, undefined);
    else this.textBytes += bytesOf(body);
    for (let value = this.#waiting.pop(); value !== undefined; value = this.#waiting.pop()) {
      const medium = this.#media.pop();
      if (Array.isArray(value)) this.#readList(value, medium);
      else this.#readObject(value as Readonly<Record<string, unknown>>, medium);
    }
  }

  #push(value: object, medium: Medium | undefined): void {
    this.#waiting.push(value);
    this.#media.push(medium);
  }

  #readList(list: readonly unknown[], medium: Medium | undefined): void {
    for (let index = 0; index < list.length; index++) {
      const item = list[index];
      if (hasInside(item)) this.#push(item, medium);
      else this.textBytes += bytesOf(item);
    }
  }

  #readObject(fields: Readonly<Record<string, unknown>>, outer: Medium | undefined): void {
    const medium = mediumOf(fields.type, outer);
    if (fields.type === "item_reference") this.mediaTokens += STORED_ITEM_TOKENS;
    for (const name in fields) {
      const item = fields[name];
      this.textBytes += name.length;
      if (hasInside(item)) {
        if (name === "cache_control") this.#noteCacheMark(item);
        else if (lifetimeFields.has(name) && "ttl" in item && item.ttl === "12h")
          this.longWrite = "cache_write_1h";
        else if (name === "audio" && "id" in item) this.audioTokens += STORED_ITEM_TOKENS;
        this.#push(item, medium);
      } else if (typeof item === "string" && this.billing !== null && this.#isMedia(name, item, medium)) {
        this.replacedBytes += item.length;
        this.#addMedia(item, name, fields, medium, this.billing);
      } else this.textBytes += bytesOf(item);
    }
  }

  #noteCacheMark(mark: object): void {
    if ("ttl" in mark && mark.ttl === "1h") this.cacheWrite = "cache_write_1h";
    else this.cacheWrite ??= "cache_write";
  }

  #isMedia(name: string, text: string, medium: Medium | undefined): boolean {
    if (!contentFields.has(name)) return text.length >= MEDIA_CHARACTERS && opaqueFields.has(name);
    if (medium === undefined) return text.length >= MEDIA_CHARACTERS && looksEncoded.test(text);
    return text.length >= MEDIA_CHARACTERS || medium === "audio" || name === "file_id" || isReference(text);
  }

  #addMedia(
    text: string,
    name: string,
    { type, media_type, format }: Readonly<Record<string, unknown>>,
    medium: Medium | undefined,
    billing: MediaBilling,
  ): void {
    if (name === "file_id" || isReference(text)) {
      this.mediaTokens += medium === "image" && !isStoredAtGoogle(text) ? IMAGE_TOKENS : STORED_TOKENS;
      return;
    }
    // Anthropic's plain text documents.
    if (type === "text") {
      this.mediaTokens += estimateTokens(Buffer.byteLength(text));
      return;
    }
    const comma = text.startsWith("data:") ? text.indexOf(",") : -1;
    const mediaType = comma < 0 ? String(media_type ?? "") : text.slice("data:".length, comma).toLowerCase();
    const bytes = Math.floor(((text.length - comma - 1) * 3) / 4);
    if (medium === "audio" || mediaType.startsWith("audio/")) {
      const seconds = audioSeconds(text.slice(comma + 1, comma + 65), bytes, format ?? mediaType);
      this.audioTokens += Math.ceil(seconds * billing.audioTokensPerSecond);
    } else if (isText(mediaType)) this.mediaTokens += estimateTokens(bytes);
    else if (medium === "document" && !mediaType.startsWith("image/"))
      this.mediaTokens += Math.ceil(bytes / PAGE_BYTES) * billing.pageTokens;
    else this.mediaTokens += IMAGE_TOKENS;
  }
}

/** The source of an image may be of type "file". */
function mediumOf(type: unknown, outer: Medium | undefined): Medium | undefined {
  if (type === undefined || (type === "file" && outer !== undefined)) return outer;
  return mediumOfPart.get(type) ?? outer;
}

function isReference(text: string): boolean {
  return /^(https?|gs):/i.test(text);
}

/** An image URL for google may also name a document or a film. */
function isStoredAtGoogle(url: string): boolean {
  return /^(gs:|https:\/\/generativelanguage\.googleapis\.com\/)/i.test(url);
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType.startsWith("application/json");
}

function hasInside(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return typeof value === "number" || typeof value === "boolean" ? BYTES_PER_TOKEN : 0;
}
