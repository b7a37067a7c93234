import { joinBytes } from "@tollgate/core/wire/join-bytes";
import { LongFrame } from "./long-frame.ts";

/**
 * Splits a byte stream into server-sent-event frames without ever splitting a character or a line. Frames end at a
 * blank line; lines end with LF, CRLF or CR. `raw` is exactly what came in, so forwarding every frame forwards every
 * byte.
 */

export interface SseFrame {
  /** The frame's bytes, including its closing blank line. */
  readonly raw: Uint8Array;
  /** Value of the last `event:` line, or null. */
  readonly event: string | null;
  /** The `data:` lines joined with "\n"; null for a comment or an empty frame, which some proxies send as a heartbeat. */
  readonly data: string | null;
  /**
   * A piece of a frame that is too long to store. The last piece has its event, and as `data` its JSON without long
   * strings (`JsonSkeleton`), which is enough to meter the frame, but not to translate it.
   */
  readonly oversized?: "part" | "end";
}

/** A longer frame is not stored, but passed on in pieces. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;
/** For a translated stream that may contain a generated image: a whole one is one frame. */
export const MAX_IMAGE_FRAME_BYTES = 24 * 1024 * 1024;

const LF = 10;
const CR = 13;
const NOTHING = new Uint8Array(0);
const decoder = new TextDecoder();

export class SseSplitter {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #lineBytes = 0;
  #afterCarriageReturn = false;
  #long: LongFrame | null = null;

  constructor(private readonly maxFrameBytes = MAX_FRAME_BYTES) {}

  push(chunk: Uint8Array): SseFrame[] {
    const only = this.#onlyFrameOf(chunk);
    if (only !== null) return [only];
    const frames: SseFrame[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== LF && byte !== CR) {
        this.#lineBytes++;
        this.#afterCarriageReturn = false;
        continue;
      }
      if (byte === LF && this.#afterCarriageReturn) {
        this.#afterCarriageReturn = false;
        continue;
      }
      this.#afterCarriageReturn = byte === CR;
      const isBlank = this.#lineBytes === 0;
      this.#lineBytes = 0;
      if (!isBlank) continue;
      if (byte === CR && chunk[at + 1] === LF) {
        this.#afterCarriageReturn = false;
        at++;
      }
      const isWhole = start === 0 && at + 1 === chunk.length;
      frames.push(this.#close(isWhole ? chunk : chunk.subarray(start, at + 1)));
      start = at + 1;
    }
    if (start < chunk.length) {
      const overflow = this.#keep(chunk.subarray(start));
      if (overflow) frames.push(overflow);
    }
    return frames;
  }

  /**
   * Nearly every chunk is exactly one frame, and searching its text for line ends is several times as fast as examining
   * every byte. null: the chunk is not exactly one frame, or has line ends other than LF.
   */
  #onlyFrameOf(chunk: Uint8Array): SseFrame | null {
    const end = chunk.length - 2;
    if (chunk[end] !== LF || chunk[end + 1] !== LF || chunk[0] === LF || this.#isInFrame) return null;
    const text = decoder.decode(chunk);
    if (text.indexOf("\n\n") !== text.length - 2 || text.includes("\r")) return null;
    return readFrame(chunk, text);
  }

  get #isInFrame(): boolean {
    return this.#pendingBytes > 0 || this.#lineBytes > 0 || this.#afterCarriageReturn || this.#long !== null;
  }

  /** Bytes after the last blank line: an incomplete frame, or the last one of a sloppy sender. */
  end(): SseFrame | null {
    if (this.#pendingBytes === 0 && this.#long === null) return null;
    return this.#close(NOTHING);
  }

  #keep(bytes: Uint8Array): SseFrame | null {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes <= this.maxFrameBytes && this.#long === null) return null;
    this.#long ??= new LongFrame();
    const raw = this.#takePending(NOTHING);
    this.#long.push(raw);
    return { raw, event: null, data: null, oversized: "part" };
  }

  #close(last: Uint8Array): SseFrame {
    const raw = this.#takePending(last);
    if (this.#long !== null) {
      const long = this.#long;
      this.#long = null;
      long.push(raw);
      return { raw, ...long.end(), oversized: "end" };
    }
    return readFrame(raw, decoder.decode(raw));
  }

  #takePending(last: Uint8Array): Uint8Array {
    if (this.#pending.length === 0) return last;
    this.#pending.push(last);
    const whole = joinBytes(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return whole;
  }
}

function readFrame(raw: Uint8Array, text: string): SseFrame {
  // Nearly every OpenAI or xAI frame is a single `data:` line that needs no parsing.
  if (text.startsWith("data: ") && text.indexOf("\n") === text.length - 2 && !text.includes("\r")) {
    return { raw, event: null, data: text.slice(6, -2) || null };
  }
  let event: string | null = null;
  let data: string | null = null;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const name = colon === -1 ? line : line.slice(0, colon);
    let value = colon === -1 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (name === "data") data = data === null ? value : `${data}\n${value}`;
    else if (name === "event") event = value;
  }
  return { raw, event, data: data || null };
}
