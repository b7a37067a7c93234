import { fail } from "@tollgate/core/errors";
import { parseExactly } from "@tollgate/core/wire/exact-json";
import type { AnswerEvent, CanonicalError } from "./canonical/answer.ts";
import type { AnswerStream, StreamEncoder } from "./dialect.ts";
import type { Meter } from "./meter.ts";
import type { StreamDecoder } from "./provider.ts";
import type { SseFrame } from "./sse.ts";

/** The longest frame that is read to its end for its usage. */
const MAX_SKIMMED_BYTES = 48 * 1024 * 1024;

/** Translates a stream: provider frames in, client frames out. */
export class TranslatedStream implements AnswerStream {
  #failure: CanonicalError | null = null;
  #finished = false;
  /** Frames after [DONE] are ignored, so that the bill does not depend on packet boundaries. */
  #isOver = false;
  #skimmedBytes = 0;

  constructor(
    private readonly decoder: StreamDecoder,
    private readonly encoder: StreamEncoder,
    private readonly meter: Meter,
    private readonly maxFrameBytes: number,
  ) {}

  get failure(): CanonicalError | null {
    return this.#failure;
  }

  push(frame: SseFrame): string {
    if (this.#failure || this.#isOver) return "";
    this.#isOver = frame.data === "[DONE]";
    if (frame.oversized !== undefined) return this.#skim(frame);
    if (frame.data === null || this.#isOver) return "";
    let data: unknown;
    try {
      data = parseExactly(frame.data);
    } catch {
      throw unreadable();
    }
    this.meter.readFrame(data);
    return this.#encode(this.decoder.decode(data));
  }

  /** A frame too long to translate is still metered, before it ends the stream. */
  #skim(frame: SseFrame): string {
    this.#skimmedBytes += frame.raw.length;
    if (frame.oversized === "part" && this.#skimmedBytes <= MAX_SKIMMED_BYTES) return "";
    if (frame.data !== null) this.meter.readFrame(parseExactly(frame.data));
    const most = `${this.maxFrameBytes / 1024 / 1024} MiB`;
    throw fail(
      "provider_invalid_answer",
      `a frame of the provider's stream is longer than ${most}, which cannot be translated`,
    );
  }

  end(): boolean {
    this.#held += this.#encode(this.decoder.end());
    return this.#finished;
  }

  finish(): string {
    return this.#held + this.encoder.end(this.meter.reading().usage);
  }

  fail(error: CanonicalError): string {
    return this.#held + this.encoder.fail(error);
  }

  /** Output that the decoder released only at the end; it is sent with the last frame. */
  #held = "";

  #encode(events: readonly AnswerEvent[]): string {
    let text = "";
    for (const event of events) {
      if (event.kind === "error") {
        this.#failure = event.error;
        break;
      }
      if (event.kind === "finish") this.#finished = true;
      text += this.encoder.encode(event);
    }
    return text;
  }
}

/** Our own verdict, thrown so that it is not mistaken for the provider's error. */
function unreadable() {
  return fail("provider_invalid_answer", "the provider sent something that its API does not define");
}
