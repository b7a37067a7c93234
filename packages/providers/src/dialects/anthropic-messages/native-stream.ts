import { isJsonObject } from "@tollgate/core/wire/json-fields";
import { decodeStreamError } from "../../anthropic/decode-error.ts";
import type { CanonicalError } from "../../canonical/answer.ts";
import type { AnswerStream } from "../../dialect.ts";
import type { Meter } from "../../meter.ts";
import type { SseFrame } from "../../sse.ts";
import { closeFrame } from "../openai-chat/close-frame.ts";
import { passUnread } from "../openai-chat/native-stream.ts";
import { encodeError } from "./encode-error.ts";

/**
 * Anthropic's own stream, byte for byte. The frame that ends it, message_stop or error, waits for `finish` or `fail`:
 * once a client has seen it, the event must be on disk.
 */
export class NativeStream implements AnswerStream {
  #failure: CanonicalError | null = null;
  #isComplete = false;
  #held: Uint8Array[] = [];

  constructor(private readonly meter: Meter) {}

  get failure(): CanonicalError | null {
    return this.#failure;
  }

  push(frame: SseFrame): Uint8Array | string {
    const data = parse(frame.data);
    const type = isJsonObject(data) ? data.type : undefined;
    if (data !== undefined) this.meter.readFrame(data);
    if (type === "message_stop") this.#isComplete = true;
    if (type === "error") this.#failure ??= decodeStreamError(data);
    const out = data === undefined ? passUnread(frame) : closeFrame(frame.raw);
    // Later frames must not overtake the last one.
    if (type !== "message_stop" && type !== "error" && this.#held.length === 0) return out;
    if (typeof out !== "string") this.#held.push(out);
    return "";
  }

  end(): boolean {
    return this.#isComplete;
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#held);
  }

  /** The provider's own error frame if it sent one; ours if the stream just broke. */
  fail(error: CanonicalError): string {
    if (this.#failure) return Buffer.concat(this.#held).toString("utf8");
    return `event: error\ndata: ${encodeError(error)}\n\n`;
  }
}

function parse(data: string | null): unknown {
  if (data === null) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
