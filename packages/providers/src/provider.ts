import type { ProviderId } from "@tollgate/core/provider-id";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { AnswerEvent, CanonicalAnswer, CanonicalError } from "./canonical/answer.ts";
import type { CanonicalEmbeddingsAnswer, CanonicalEmbeddingsRequest } from "./canonical/embeddings.ts";
import type { CanonicalRequest } from "./canonical/request.ts";
import type { DialectId } from "./dialect.ts";
import type { Meter } from "./meter.ts";

/** The outgoing request, without credential and base URL. */
export interface UpstreamRequest {
  /** With its query, relative to the provider's base URL: `/v1/chat/completions`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** If it may be more than the client's limit: the limit that is sent. */
  readonly maxOutputTokens?: number;
}

/** A dialect that the provider itself speaks: bodies and frames pass through, only metered. */
export interface NativeFormat {
  readonly path: string;
  /**
   * `choices`: how many answers were requested. `model`: the requested one, if the bill depends on the model and the
   * answer may not name it.
   */
  meter(choices?: number, model?: string): Meter;
  /** Adapts a request written for another model: removes what this one would reject. */
  fitModel?(body: JsonObject, model: string): JsonObject;
  /** The same prompt with cache breakpoints on what repeats; absent if the provider needs none. */
  addCacheHints?(body: JsonObject): JsonObject;
}

/** Encodes a canonical conversation for a provider, and decodes its answer. All pure. */
interface ConversationCodec {
  /** Throws `fail("unsupported_feature", …)` with a clear sentence for anything that this provider cannot express. */
  encodeRequest(request: CanonicalRequest): UpstreamRequest;
  decodeAnswer(body: unknown): CanonicalAnswer;
  /** The tool names that the provider accepts. */
  readonly toolName: RegExp;
  /** Whether a model answers with images; absent if none does. */
  generatesImages?(model: string): boolean;
  /** Whether a translated request for thinking may raise the model's output limit by its budget. */
  addsThinkingToLimit?(model: string): boolean;
  /** One decoder per stream: it may have state (tool indexes, whether a call was seen). */
  streamDecoder(): StreamDecoder;
  /** As `NativeFormat.meter`. */
  meter(choices?: number, model?: string): Meter;
}

export interface StreamDecoder {
  /** `frame` is the parsed `data:` of one frame, `[DONE]` excluded. */
  decode(frame: unknown): AnswerEvent[];
  /** The provider closed the stream: returns held-back events, above all `finish`. Empty if it never finished. */
  end(): AnswerEvent[];
}

export interface EmbeddingsCodec {
  encodeRequest(request: CanonicalEmbeddingsRequest): UpstreamRequest;
  decodeAnswer(body: unknown, model: string): CanonicalEmbeddingsAnswer;
  meter(): Meter;
}

/** The prompt, as if it had been answered, or a fixed fee instead. */
export type RefusalBill = "prompt" | "fee";

/** Requests that the provider declines because they violate its guidelines, and bills. */
export interface BilledViolations {
  isViolation(error: CanonicalError): boolean;
  /** `path`: of the request. */
  billOf(path: string): RefusalBill;
}

/** The port: one provider. Adding one takes a folder that implements this, and a line in `registry.ts`. */
export interface Provider {
  readonly id: ProviderId;
  readonly baseUrl: string;
  /** The caller's key in the header that the provider expects. */
  credential(key: string): Readonly<Record<string, string>>;
  /** Client headers (lower case) forwarded to the provider if the dialect is its own. All others are dropped. */
  readonly forwardedHeaders: readonly string[];
  /** Response headers (lower case) forwarded to the client. All others are dropped. */
  readonly returnedHeaders: readonly string[];
  readonly native: { readonly [dialect in DialectId]?: NativeFormat };
  readonly conversation: ConversationCodec;
  /** null: this provider has no embeddings. */
  readonly embeddings: EmbeddingsCodec | null;
  /** `body` is the parsed JSON of an error answer; undefined: not JSON. */
  decodeError(status: number, body: unknown): CanonicalError;
  /** Absent: it bills no call that it answers with an error. */
  readonly violations?: BilledViolations;
}
