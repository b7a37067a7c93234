/**
 * A chat stream that passes through. Every frame is forwarded byte for byte, with these exceptions:
 * - `[DONE]` waits for `finish`: a client that has it may assume that the call has settled;
 * - if the client did not request usage, chunks with a finish_reason wait, the usage chunk (`choices: []`) that we
 *   requested is not forwarded, and its usage is added to the last waiting chunk;
 * - an error frame waits for `fail`.
 */

import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../../canonical/answer.ts";
import type { AnswerStream, RequestSummary } from "../../dialect.ts";
import type { Meter } from "../../meter.ts";
import { decodeStreamError } from "../../openai/decode-error.ts";
import type { SseFrame } from "../../sse.ts";
import { closeFrame, isClosed } from "./close-frame.ts";
import { encodeErrorFrame } from "./encode-error.ts";
import { DONE_FRAME } from "./encode-stream.ts";

export class NativeChatStream implements AnswerStream {
  failure: CanonicalError | null = null;
  isWritten = false;
  #failureFrame: Uint8Array | null = null;
  #done = false;
  /** Indices of choices. */
  readonly #finished: unknown[] = [];
  #heldFrames: Uint8Array[] = [];
  /** Frames after the end, which stay behind it. */
  readonly #framesBehind: Uint8Array[] = [];
  #lastHeld: JsonObject | null = null;
  #usage: JsonObject | null = null;
  readonly #meter: Meter;
  readonly #wantsUsage: boolean;
  readonly #choices: number;

  constructor(meter: Meter, summary: RequestSummary) {
    this.#meter = meter;
    this.#wantsUsage = summary.wantsStreamUsage;
    this.#choices = summary.choices;
  }

  push(frame: SseFrame): Uint8Array | string {
    if (this.#done || this.failure !== null) return "";
    if (frame.data === null) return passUnread(frame);
    if (frame.data === "[DONE]") {
      this.#done = true;
      return "";
    }
    let chunk: unknown;
    try {
      chunk = JSON.parse(frame.data);
    } catch {
      return passUnread(frame);
    }
    this.#meter.readFrame(chunk);
    const raw = closeFrame(frame.raw);
    if (!isJsonObject(chunk)) return raw;
    if (chunk.error !== undefined && chunk.error !== null) {
      this.failure = decodeStreamError(chunk);
      // xAI's error is a string where clients look for `error.message`: it is re-encoded.
      if (isJsonObject(chunk.error) || frame.oversized !== undefined) this.#failureFrame = raw;
      return "";
    }
    if (frame.oversized !== undefined) {
      // Most of it was forwarded already, so its end cannot wait, and the rest of the JSON is not known.
      if (Array.isArray(chunk.choices)) this.#noteFinish(chunk.choices);
      return raw;
    }
    return this.#pushChunk(chunk, raw);
  }

  #pushChunk(chunk: JsonObject, raw: Uint8Array): Uint8Array | string {
    const choices: unknown = chunk.choices;
    if (!Array.isArray(choices)) return raw;
    const finishes = this.#noteFinish(choices);
    if (this.#wantsUsage) return raw;
    if (choices.length === 0) {
      if (isJsonObject(chunk.usage)) this.#usage = chunk.usage;
      if (!saysSomething(chunk)) return "";
      if (this.#lastHeld === null) return raw;
      this.#framesBehind.push(raw);
      return "";
    }
    if (!finishes) return raw;
    this.#heldFrames.push(raw);
    this.#lastHeld = chunk;
    return "";
  }

  #noteFinish(choices: readonly unknown[]): boolean {
    let finishes = false;
    for (const choice of choices) {
      if (!isJsonObject(choice) || typeof choice.finish_reason !== "string") continue;
      finishes = true;
      const index = choice.index ?? 0;
      if (!this.#finished.includes(index)) this.#finished.push(index);
    }
    if (finishes) this.isWritten = this.#allFinished();
    return finishes;
  }

  /** Some providers omit `[DONE]`: then each of the requested choices must have finished. */
  end(): boolean {
    return this.failure === null && (this.#done || this.isWritten);
  }

  #allFinished(): boolean {
    for (let index = 0; index < this.#choices; index++) if (!this.#finished.includes(index)) return false;
    return true;
  }

  finish(): Uint8Array | string {
    if (this.failure !== null) return this.fail(this.failure);
    if (this.#lastHeld === null) return DONE_FRAME;
    const frames: Uint8Array[] = [...this.#heldFrames];
    if (this.#usage !== null) {
      const chunk = { ...this.#lastHeld, usage: this.#usage };
      frames[frames.length - 1] = Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    return Buffer.concat([...frames, ...this.#framesBehind, Buffer.from(DONE_FRAME)]);
  }

  /** The provider's own error is sent unchanged; any other is encoded by us. Waiting chunks may contain text. */
  fail(error: CanonicalError): Uint8Array {
    const ofProvider = error === this.failure ? this.#failureFrame : null;
    const frame = ofProvider ?? Buffer.from(encodeErrorFrame(error));
    return Buffer.concat([...this.#heldFrames, ...this.#framesBehind, frame]);
  }
}

/** Fields of a chunk without choices that every chunk has, or that only clients that requested usage expect. */
const expected = new Set([
  "id",
  "object",
  "created",
  "model",
  "choices",
  "usage",
  "service_tier",
  "system_fingerprint",
  "obfuscation",
  "prompt_filter_results",
]);

/** For example the result of a moderation that the client requested. */
function saysSomething(chunk: JsonObject): boolean {
  return Object.keys(chunk).some(name => !expected.has(name));
}

/** Comments and invalid JSON pass through; an incomplete frame does not: no client could read past it. */
export function passUnread(frame: SseFrame): Uint8Array | string {
  return frame.oversized !== undefined || isClosed(frame.raw) ? frame.raw : "";
}
