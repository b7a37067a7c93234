import type { ProviderId } from "@tollgate/core/provider-id";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { AnswerEvent, CanonicalAnswer, CanonicalError } from "./canonical/answer.ts";
import type { CanonicalEmbeddingsAnswer, CanonicalEmbeddingsRequest } from "./canonical/embeddings.ts";
import type { CanonicalRequest } from "./canonical/request.ts";
import type { DialectId } from "./dialect.ts";
import type { Meter } from "./meter.ts";

/** What goes out, but for the credential and the base address. */
export interface UpstreamRequest {
  /** With its query, relative to the provider's base address: `/v1/chat/completions`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** A dialect that is the provider's own: bodies and frames pass through, only metered. */
export interface NativeFormat {
  readonly path: string;
  meter(): Meter;
  /** A request that was written for another model, without what this one would refuse. */
  fitModel?(body: JsonObject, model: string): JsonObject;
  /** The same prompt, marked so that the provider keeps what repeats; absent where that needs no marks. */
  addCacheHints?(body: JsonObject): JsonObject;
}

/** Encodes a canonical conversation for a provider, and decodes its answer. All pure. */
interface ConversationCodec {
  /** Throws `fail("unsupported_feature", …)` with a clear sentence for what cannot be said to this provider. */
  encodeRequest(request: CanonicalRequest): UpstreamRequest;
  decodeAnswer(body: unknown): CanonicalAnswer;
  /** A translated request for thinking raises the output limit by its budget. */
  readonly addsThinkingToLimit?: true;
  /** One decoder a stream: it may remember (tool indexes, whether a call was seen). */
  streamDecoder(): StreamDecoder;
  meter(): Meter;
}

export interface StreamDecoder {
  /** `frame` is the parsed `data:` of one frame, `[DONE]` excluded. */
  decode(frame: unknown): AnswerEvent[];
  /** The provider closed the stream: what was held back, above all `finish`. Nothing if it never finished. */
  end(): AnswerEvent[];
}

export interface EmbeddingsCodec {
  encodeRequest(request: CanonicalEmbeddingsRequest): UpstreamRequest;
  decodeAnswer(body: unknown, model: string): CanonicalEmbeddingsAnswer;
  meter(): Meter;
}

/** The port: one provider. Adding one is a folder with this in it, and a line in `registry.ts`. */
export interface Provider {
  readonly id: ProviderId;
  readonly baseUrl: string;
  /** Names the caller's key the way the provider wants it. */
  credential(key: string): Readonly<Record<string, string>>;
  /** Client headers (lower case) that reach the provider when the dialect is its own. All others are dropped. */
  readonly forwardedHeaders: readonly string[];
  /** Answer headers (lower case) that reach the client. All others are dropped. */
  readonly returnedHeaders: readonly string[];
  readonly native: { readonly [dialect in DialectId]?: NativeFormat };
  readonly conversation: ConversationCodec;
  /** null: this provider has no embeddings. */
  readonly embeddings: EmbeddingsCodec | null;
  /** `body` is the parsed JSON of an error answer; undefined: not JSON. */
  decodeError(status: number, body: unknown): CanonicalError;
}
