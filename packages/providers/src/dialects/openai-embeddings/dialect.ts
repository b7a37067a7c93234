import { fail } from "@tollgate/core/errors";
import { inputTokens, type Usage } from "@tollgate/core/money/usage";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { CanonicalEmbeddingsAnswer, CanonicalEmbeddingsRequest } from "../../canonical/embeddings.ts";
import type { Dialect } from "../../dialect.ts";
import { encodeError } from "../openai-chat/encode-error.ts";
import { invalid, readPositiveInteger, requireString } from "../openai-chat/request-fields.ts";

type EncodingFormat = "float" | "base64";

interface EmbeddingsDialect extends Dialect {
  decodeRequest(body: JsonObject): CanonicalEmbeddingsRequest;
  encodeAnswer(answer: CanonicalEmbeddingsAnswer, usage: Usage | null, format: EncodingFormat): string;
}

/** `POST /v1/embeddings`. The official client requests base64 by default. */
export const openaiEmbeddings: EmbeddingsDialect = {
  id: "openai-embeddings",

  summarize(body) {
    const model = requireString(body, "model");
    kindOfInput(body.input);
    const format = body.encoding_format;
    if (format !== undefined && format !== null && format !== "float" && format !== "base64")
      throw invalid("encoding_format", "must be `float` or `base64`");
    readPositiveInteger(body, "dimensions");
    return { model, stream: false, wantsStreamUsage: false, maxOutputTokens: null, choices: 1 };
  },

  prefix: () => "",

  prepareNative: (body, model) => (body.model === model ? body : { ...body, model }),

  /** Vectors are not billed as output. */
  capOutput: body => body,

  openNativeStream() {
    throw fail("invalid_request", "embeddings cannot be streamed");
  },

  encodeError,

  decodeRequest(body) {
    const { model } = this.summarize(body);
    const { input } = body;
    if (kindOfInput(input) === "tokens")
      throw fail("unsupported_feature", "`input` must be text: only OpenAI's models read its token numbers");
    const dimensions = readPositiveInteger(body, "dimensions");
    const inputs = (Array.isArray(input) ? input : [input]).filter(text => typeof text === "string");
    return { model, inputs, ...(dimensions !== undefined && { dimensions }) };
  },

  encodeAnswer(answer, usage, format) {
    return JSON.stringify({
      object: "list",
      data: answer.vectors.map((vector, index) => ({
        object: "embedding",
        index,
        embedding: format === "base64" ? encodeFloats(vector) : vector,
      })),
      model: answer.model,
      ...(usage !== null && {
        usage: { prompt_tokens: inputTokens(usage), total_tokens: inputTokens(usage) },
      }),
    });
  },
};

function kindOfInput(input: unknown): "text" | "tokens" {
  if (typeof input === "string" && input !== "") return "text";
  if (Array.isArray(input) && input.length > 0) {
    if (input.every(text => typeof text === "string" && text !== "")) return "text";
    if (isTokens(input) || input.every(isTokens)) return "tokens";
  }
  throw invalid(
    "input",
    "must be a non-empty string, or a non-empty array of such strings, of token numbers, or of arrays of them",
  );
}

function isTokens(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isSafeInteger);
}

/** Float32, little-endian on any machine. */
function encodeFloats(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [position, value] of vector.entries()) bytes.writeFloatLE(value, position * 4);
  return bytes.toString("base64");
}
