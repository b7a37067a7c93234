import { fail } from "@tollgate/core/errors";
import { usageOf } from "@tollgate/core/money/usage";
import { jsonObjectOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";
import { listPrice, type Meter } from "../meter.ts";
import type { EmbeddingsCodec } from "../provider.ts";
import { decodeStreamError } from "./decode-error.ts";
import { bareModel, modelPath } from "./model-path.ts";
import { readChunk } from "./read-chunk.ts";

/** Always the batch call: one input is a batch of one, so the answer always has the same shape. */
export const embeddings: EmbeddingsCodec = {
  encodeRequest(request) {
    const requests = request.inputs.map(text => ({
      model: `models/${bareModel(request.model)}`,
      content: { parts: [{ text }] },
      ...(request.dimensions !== undefined && { outputDimensionality: request.dimensions }),
    }));
    return {
      path: modelPath(request.model, "batchEmbedContents"),
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ requests }),
    };
  },

  decodeAnswer(body, model) {
    const list = jsonObjectOf(body)?.embeddings;
    if (!Array.isArray(list)) throw fail("provider_invalid_answer", "google answered without embeddings");
    return { model, vectors: list.map(readVector) };
  },

  meter: embeddingsMeter,
};

function readVector(embedding: unknown): readonly number[] {
  const values = jsonObjectOf(embedding)?.values;
  if (!Array.isArray(values) || !values.every(value => typeof value === "number")) {
    throw fail("provider_invalid_answer", "google answered with an embedding that is not a list of numbers");
  }
  return values;
}

/** gemini-embedding-001 reports no usage: it stays unknown, and the call is settled at an estimate. */
function embeddingsMeter(): Meter {
  let inputTokens: number | null = null;
  let failure: CanonicalError | null = null;
  function read(body: unknown): void {
    if (readChunk(body)?.hasError === true) failure = decodeStreamError(body);
    const count = jsonObjectOf(jsonObjectOf(body)?.usageMetadata)?.promptTokenCount;
    // No input is empty: a zero is a missing count.
    if (typeof count === "number" && Number.isSafeInteger(count) && count > 0) inputTokens = count;
  }
  return {
    readAnswer: read,
    readFrame: read,
    reading: () => ({
      servedModel: null,
      usage: inputTokens === null ? null : usageOf({ input: inputTokens }),
      additional: [],
      served: listPrice,
      reportedCost: null,
      outputBytes: 0,
      responseId: null,
    }),
    failure: () => failure,
  };
}
