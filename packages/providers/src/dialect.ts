import type { Usage } from "@tollgate/core/money/usage";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { AnswerEvent, CanonicalAnswer, CanonicalError } from "./canonical/answer.ts";
import type { CanonicalRequest } from "./canonical/request.ts";
import type { Meter } from "./meter.ts";
import type { SseFrame } from "./sse.ts";

export type DialectId = "openai-chat" | "anthropic-messages" | "openai-embeddings" | "openai-responses";

/** What the pipeline needs to know of a request in any dialect. */
export interface RequestSummary {
  readonly model: string;
  readonly stream: boolean;
  /** The client asked for usage in the stream (`stream_options.include_usage`). */
  readonly wantsStreamUsage: boolean;
  readonly maxOutputTokens: number | null;
  /** `n`: how many answers were asked for. */
  readonly choices: number;
}

/** What a client speaks. */
export interface Dialect {
  readonly id: DialectId;
  /** Checks what every call needs; throws `fail("invalid_request", …)` with a sentence that names the field. */
  summarize(body: JsonObject): RequestSummary;
  /** Everything of the prompt that a provider could have cached: tools and system text, or "". */
  prefix(body: JsonObject): string;
  /**
   * The body to send when the provider speaks this dialect. The same object where nothing has to change: then the
   * client's own bytes are sent. `model` is the bare name, `provider/` removed.
   */
  prepareNative(body: JsonObject, model: string): JsonObject;
  /** The same request with answers (each of `n`) of at most `tokens`, in the field that the model accepts. */
  capOutput(body: JsonObject, tokens: number, model: string): JsonObject;
  openNativeStream(meter: Meter, summary: RequestSummary): AnswerStream;
  /** The JSON body of a provider's error, in this dialect. */
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
  /** "" while there is nothing that the client may see yet. `finish` is always held until `end`. */
  encode(event: AnswerEvent): string;
  /** Finish, usage and the dialect's last frame: what may be sent only once the event is on disk. */
  end(usage: Usage | null): string;
  /** The stream broke: an error frame that ends it. */
  fail(error: CanonicalError): string;
}

/**
 * One streamed answer on its way to the client, native or translated: the relay treats both alike.
 * `push` returns what the client may see now; what must not precede the event on disk is held for `finish`.
 */
export interface AnswerStream {
  /** Throws if the frame cannot be understood and must be. */
  push(frame: SseFrame): Uint8Array | string;
  /** The provider closed its stream. True if the answer was complete. */
  end(): boolean;
  /** Set once the provider itself reported a failure inside the stream. */
  readonly failure: CanonicalError | null;
  /** The rest of a complete answer. */
  finish(): string | Uint8Array;
  /** An error frame in the client's dialect, for a stream that broke. */
  fail(error: CanonicalError): string;
}
