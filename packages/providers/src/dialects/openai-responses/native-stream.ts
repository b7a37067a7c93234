/**
 * A Responses stream that passes through, byte for byte. From its terminal frame on, everything waits for `finish`:
 * that frame tells the client that the call is over. Likewise, a failure waits for `fail`.
 */

import { countOf, isJsonObject, type JsonObject, jsonObjectOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../../canonical/answer.ts";
import type { AnswerStream } from "../../dialect.ts";
import type { Meter } from "../../meter.ts";
import { decodeStreamError } from "../../openai/decode-error.ts";
import type { SseFrame } from "../../sse.ts";
import { closeFrame } from "../openai-chat/close-frame.ts";
import { errorFields } from "../openai-chat/encode-error.ts";
import { passUnread } from "../openai-chat/native-stream.ts";

export class NativeResponsesStream implements AnswerStream {
  failure: CanonicalError | null = null;
  #terminal = false;
  #held: Uint8Array[] = [];
  #nextSequenceNumber = 0;
  readonly #meter: Meter;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  push(frame: SseFrame): Uint8Array | string {
    const event = parse(frame.data);
    if (event !== undefined) {
      this.#meter.readFrame(event);
      if (isJsonObject(event)) this.#note(event);
    }
    const out = event === undefined ? passUnread(frame) : closeFrame(frame.raw);
    if (!this.#terminal && this.failure === null) return out;
    if (typeof out !== "string") this.#held.push(out);
    return "";
  }

  #note(event: JsonObject): void {
    const sequenceNumber = countOf(event.sequence_number);
    if (sequenceNumber !== undefined) this.#nextSequenceNumber = sequenceNumber + 1;
    switch (event.type) {
      case "response.completed":
      case "response.incomplete":
        this.#terminal = true;
        break;
      case "response.failed":
        this.#terminal = true;
        this.failure ??= decodeStreamError({ error: jsonObjectOf(event.response)?.error });
        break;
      case "error":
        // Nested on the real server, flat according to its schema: there, `type` is the event's name, not the error's.
        this.failure ??= decodeStreamError(
          isJsonObject(event.error) ? event : { error: { ...event, type: undefined } },
        );
        break;
      case undefined:
        if (event.error !== undefined && event.error !== null) this.failure ??= decodeStreamError(event);
    }
  }

  end(): boolean {
    return this.#terminal && this.failure === null;
  }

  finish(): Uint8Array | string {
    return Buffer.concat(this.#held);
  }

  fail(error: CanonicalError): string {
    if (error === this.failure) return Buffer.concat(this.#held).toString("utf8");
    const { type, ...flat } = errorFields(error);
    const event = {
      type: "error",
      sequence_number: this.#nextSequenceNumber,
      ...flat,
      error: { type, ...flat },
    };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
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
