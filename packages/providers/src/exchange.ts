import { fail } from "@tollgate/core/errors";
import { maxOutputTokens } from "@tollgate/core/models/max-output";
import { billingOf } from "@tollgate/core/pricing/billing/registry";
import { estimateUsage } from "@tollgate/core/pricing/estimate";
import { measurePrompt } from "@tollgate/core/pricing/measure-prompt";
import { type PromptSize, textPrompt } from "@tollgate/core/pricing/prompt-size";
import { parseExactly } from "@tollgate/core/wire/exact-json";
import { type JsonObject, listOf } from "@tollgate/core/wire/json-fields";
import type { AnswerStream, ConversationDialect, Dialect, RequestSummary } from "./dialect.ts";
import { openaiEmbeddings } from "./dialects/openai-embeddings/dialect.ts";
import type { Meter } from "./meter.ts";
import type { NativeFormat, Provider, UpstreamRequest } from "./provider.ts";
import { spliceFields } from "./splice-fields.ts";
import { MAX_FRAME_BYTES, MAX_IMAGE_FRAME_BYTES } from "./sse.ts";
import { ToolNames } from "./tool-names.ts";
import { TranslatedStream } from "./translated-stream.ts";

/** One planned call: the request to the provider, and how its answer becomes the client's. */
export interface Exchange {
  readonly upstream: UpstreamRequest;
  /** The provider speaks the client's dialect: relevant headers are forwarded, and bodies are returned unchanged. */
  readonly isNative: boolean;
  /** For an estimate if the provider reports no usage. */
  readonly prompt: PromptSize;
  /** Reads a whole answer. Throws `provider_invalid_answer` if it cannot be decoded; the meter has read it by then. */
  readAnswer(text: string, meter: Meter): string;
  openStream(meter: Meter): AnswerStream;
  /** A longer frame of the stream is not stored, so it cannot be translated. */
  readonly maxFrameBytes: number;
  meter(): Meter;
}

interface ExchangeRequest {
  readonly body: JsonObject;
  /** The client's own bytes, sent unchanged if possible. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly summary: RequestSummary;
  /** Without a `provider/` prefix. */
  readonly model: string;
  /** "?beta=true", or "". */
  readonly query: string;
  /** The parsed `bytes`, if `body` was changed since. */
  readonly source?: JsonObject | undefined;
  readonly steered?: SteeredPlan | undefined;
}

/** Further changes that an agent's rules make to its request. */
export interface SteeredPlan {
  /** The client wrote it for another model. */
  readonly isSwitched: boolean;
  /**
   * The client wrote it for another provider with the same dialect: each rejects the other's extensions, so it is
   * translated anyway.
   */
  readonly isForeign: boolean;
  readonly cachesPrompt: boolean;
}

export function planExchange(dialect: Dialect, provider: Provider, request: ExchangeRequest): Exchange {
  if (request.steered?.isSwitched === true) refuseLostImages(dialect, provider, request);
  const native = provider.native[dialect.id];
  if (native && !(request.steered?.isForeign === true && isConversation(dialect))) {
    return new NativeExchange(dialect, native, provider, request);
  }
  if (isConversation(dialect)) return translateConversation(dialect, provider, request);
  if (dialect.id === "openai-embeddings") return translateEmbeddings(provider, request);
  throw fail(
    "unsupported_feature",
    `the Responses API is not available for ${provider.id} models; use /v1/chat/completions`,
  );
}

/** The client wrote it for a model that answers with images: another one cannot take its place. */
function refuseLostImages(dialect: Dialect, provider: Provider, { body, model }: ExchangeRequest): void {
  if (dialect.id !== "openai-chat" || !listOf(body.modalities)?.includes("image")) return;
  if (provider.conversation.generatesImages?.(model) !== true)
    throw fail("unsupported_feature", `\`modalities\` other than text is not available for ${model}`);
}

/** The provider speaks the client's dialect: the answer is metered and forwarded unchanged. */
class NativeExchange implements Exchange {
  readonly isNative = true;
  readonly maxFrameBytes = MAX_FRAME_BYTES;
  readonly upstream: UpstreamRequest;
  readonly prompt: PromptSize;

  constructor(
    private readonly dialect: Dialect,
    private readonly native: NativeFormat,
    provider: Provider,
    private readonly request: ExchangeRequest,
  ) {
    const prepared = dialect.prepareNative(adapted(dialect, native, provider, request), request.model);
    this.upstream = {
      path: native.path + request.query,
      headers: jsonHeaders,
      body: spliceFields(request.bytes, request.source ?? request.body, prepared),
    };
    this.prompt = promptOf(provider, request);
  }

  meter(): Meter {
    return this.native.meter(this.request.summary.choices, this.request.model);
  }

  readAnswer(text: string, meter: Meter): string {
    meter.readAnswer(parseAnswer(text));
    return text;
  }

  openStream(meter: Meter): AnswerStream {
    return this.dialect.openNativeStream(meter, this.request.summary);
  }
}

const jsonHeaders = { "content-type": "application/json" };

/** The gateway's changes to a request in the provider's own dialect; the same object if there are none. */
function adapted(
  dialect: Dialect,
  native: NativeFormat,
  provider: Provider,
  request: ExchangeRequest,
): JsonObject {
  const { body, model, steered } = request;
  if (steered === undefined) return body;
  const fitted = steered.isSwitched
    ? withinModel(dialect, provider, request, native.fitModel?.(body, model) ?? body)
    : body;
  return steered.cachesPrompt && native.addCacheHints ? native.addCacheHints(fitted) : fitted;
}

/** The client chose its limit for another model: providers reject one above the model's maximum. */
function withinModel(
  dialect: Dialect,
  provider: Provider,
  { summary, model }: ExchangeRequest,
  body: JsonObject,
): JsonObject {
  const most = maxOutputTokens(provider.id, model);
  const exceeds = summary.maxOutputTokens !== null && summary.maxOutputTokens > most;
  return exceeds ? dialect.capOutput(body, most, model) : body;
}

function translateConversation(
  dialect: ConversationDialect,
  provider: Provider,
  request: ExchangeRequest,
): Exchange {
  const codec = provider.conversation;
  const names = new ToolNames(codec.toolName);
  const drawsImages = codec.generatesImages?.(request.model) === true;
  const maxFrameBytes = drawsImages ? MAX_IMAGE_FRAME_BYTES : MAX_FRAME_BYTES;
  const decoded = dialect.decodeRequest(withinModel(dialect, provider, request, request.body));
  if (decoded.modalities?.includes("image") && codec.generatesImages === undefined)
    throw fail(
      "unsupported_feature",
      `\`modalities\` other than text is not available for ${provider.id} models`,
    );
  return {
    upstream: codec.encodeRequest(
      names.inRequest({
        ...decoded,
        model: request.model,
        ...(request.steered?.cachesPrompt === true && { cachesPrompt: true }),
      }),
    ),
    isNative: false,
    maxFrameBytes,
    prompt: promptOf(provider, request),
    meter: () => codec.meter(request.summary.choices, request.model),
    readAnswer(text, meter) {
      const body = parseAnswer(text, parseExactly);
      meter.readAnswer(body);
      return dialect.encodeAnswer(names.inAnswer(codec.decodeAnswer(body)), meter.reading().usage);
    },
    openStream(meter) {
      const decoder = codec.streamDecoder();
      const restoring = {
        decode: (frame: unknown) => names.inEvents(decoder.decode(frame)),
        end: () => names.inEvents(decoder.end()),
      };
      const encoder = dialect.streamEncoder(request.summary);
      return new TranslatedStream(restoring, encoder, meter, maxFrameBytes);
    },
  };
}

function translateEmbeddings(provider: Provider, request: ExchangeRequest): Exchange {
  const codec = provider.embeddings;
  if (!codec) {
    throw fail("unsupported_feature", `${provider.id} offers no embeddings; use a model of openai or google`);
  }
  const decoded = openaiEmbeddings.decodeRequest(request.body);
  // Some models never report usage. For a short text, most of the body would be JSON syntax.
  const inputBytes = decoded.inputs.reduce((sum, input) => sum + Buffer.byteLength(input), 0);
  return {
    upstream: codec.encodeRequest({ ...decoded, model: request.model }),
    isNative: false,
    maxFrameBytes: MAX_FRAME_BYTES,
    prompt: textPrompt(inputBytes),
    meter: () => codec.meter(),
    readAnswer(text, meter) {
      const body = parseAnswer(text);
      meter.readAnswer(body);
      const format = request.body.encoding_format === "base64" ? "base64" : "float";
      return openaiEmbeddings.encodeAnswer(
        codec.decodeAnswer(body, request.model),
        // gemini-embedding-001 reports no usage, and clients expect one: they get the billed estimate.
        meter.reading().usage ?? estimateUsage({ promptBytes: inputBytes, outputBytes: 0 }),
        format,
      );
    },
    openStream() {
      throw fail("invalid_request", "embeddings cannot be streamed");
    },
  };
}

function promptOf({ id }: Provider, { body, bytes, steered }: ExchangeRequest): PromptSize {
  const size = measurePrompt(body, bytes.length, id);
  if (steered?.cachesPrompt !== true || size.cacheWrite !== null) return size;
  return { ...size, cacheWrite: billingOf[id].needsCacheMarks ? "cache_write" : null };
}

function isConversation(dialect: Dialect): dialect is ConversationDialect {
  return "decodeRequest" in dialect && "streamEncoder" in dialect;
}

/** With all digits if parts are re-encoded; the meter does not need them. */
function parseAnswer(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch {
    throw fail("provider_invalid_answer", "the provider's answer is not valid JSON");
  }
}
