import type { Usage } from "@tollgate/core/money/usage";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { AnswerEvent, CanonicalAnswer, CanonicalError } from "./canonical/answer.ts";
import type { CanonicalRequest } from "./canonical/request.ts";
import type { Meter } from "./meter.ts";
import type { SseFrame } from "./sse.ts";

export type DialectId = "openai-chat" | "anthropic-messages" | "openai-embeddings" | "openai-responses";

/** What the pipeline needs to know about a request in any dialect. */
export interface RequestSummary {
  readonly model: string;
  readonly stream: boolean;
  /** The client requested usage in the stream (`stream_options.include_usage`). */
  readonly wantsStreamUsage: boolean;
  readonly maxOutputTokens: number | null;
  /** `n`: the number of requested answers. */
  readonly choices: number;
}

/** A client's request and answer format. */
export interface Dialect {
  readonly id: DialectId;
  /** Checks what every call needs; throws `fail("invalid_request", …)` with a sentence that names the field. */
  summarize(body: JsonObject): RequestSummary;
  /** Everything in the prompt that a provider could have cached: tools and system text, or "". */
  prefix(body: JsonObject): string;
  /**
   * The body for a provider that speaks this dialect. If nothing has to change it is the same object, and the client's
   * own bytes are sent. `model` is the bare name, without a `provider/` prefix.
   */
  prepareNative(body: JsonObject, model: string): JsonObject;
  /** The same request with each answer limited to `tokens`, in the field that the model accepts. */
  capOutput(body: JsonObject, tokens: number, model: string): JsonObject;
  openNativeStream(meter: Meter, summary: RequestSummary): AnswerStream;
  /** A provider's error as a JSON body in this dialect. */
  encodeError(error: CanonicalError): string;
}

/** A dialect that can be translated: a conversation. */
export interface ConversationDialect extends Dialect {
  decodeRequest(body: JsonObject): CanonicalRequest;
  encodeAnswer(answer: CanonicalAnswer, usage: Usage | null): string;
  streamEncoder(summary: RequestSummary): StreamEncoder;
}

/** Writes SSE text in the client's dialect. */
export interface StreamEncoder {
  /** "" if there is nothing for the client yet. `finish` is always held until `end`. */
  encode(event: AnswerEvent): string;
  /** Finish, usage and the dialect's last frame: sent only once the event is on disk. */
  end(usage: Usage | null): string;
  /** An error frame that ends a broken stream. */
  fail(error: CanonicalError): string;
}

/**
 * One streamed answer on its way to the client, native or translated: the relay treats both alike. `push` returns what
 * the client may see now; whatever must not precede the event on disk is held for `finish`.
 */
export interface AnswerStream {
  /** Throws if a required frame cannot be decoded. */
  push(frame: SseFrame): Uint8Array | string;
  /** The provider closed its stream. True if the answer was complete. */
  end(): boolean;
  /** The provider has written its answer, the client may have all of it, and only its usage is still to come. */
  readonly isWritten?: boolean;
  /** Set once the provider itself reported a failure inside the stream. */
  readonly failure: CanonicalError | null;
  /** The rest of a complete answer. */
  finish(): string | Uint8Array;
  /** Whatever was withheld, and an error frame in the client's dialect, for a broken stream. */
  fail(error: CanonicalError): string | Uint8Array;
}
