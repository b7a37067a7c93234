import { fail } from "@tollgate/core/errors";
import { type Usage, usageOf } from "@tollgate/core/money/usage";
import { countOf, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";
import { listPrice, type Meter } from "../meter.ts";
import type { EmbeddingsCodec } from "../provider.ts";
import { readWholeError } from "./decode-error.ts";

/** Embeddings are billed by input only. */
export function createEmbeddingsMeter(): Meter {
  let servedModel: string | null = null;
  let usage: Usage | null = null;
  let failure: CanonicalError | null = null;
  return {
    readAnswer(body) {
      const fields = jsonObjectOf(body);
      servedModel = nameOf(fields?.model) ?? servedModel;
      const input = countOf(jsonObjectOf(fields?.usage)?.prompt_tokens);
      // No input is empty: a zero is a missing count.
      if (input !== undefined && input > 0) usage = usageOf({ input });
      failure = readWholeError(body, fields?.data);
    },
    readFrame() {}, // embeddings are never streamed
    reading: () => ({
      servedModel,
      usage,
      additional: [],
      served: listPrice,
      reportedCost: null,
      outputBytes: 0,
      responseId: null,
    }),
    failure: () => failure,
  };
}

export const embeddingsCodec: EmbeddingsCodec = {
  encodeRequest({ model, inputs, dimensions }) {
    const body = {
      model,
      input: inputs,
      encoding_format: "float",
      ...(dimensions !== undefined && { dimensions }),
    };
    return {
      path: "/v1/embeddings",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
  },
  decodeAnswer(body, model) {
    const fields = jsonObjectOf(body);
    const data = listOf(fields?.data);
    if (data === undefined) throw invalid("data");
    const vectors: number[][] = [];
    for (const [position, entry] of data.entries()) {
      const item = jsonObjectOf(entry);
      const vector = listOf(item?.embedding);
      if (!vector?.every(value => typeof value === "number")) throw invalid("data[].embedding");
      // `index` defines the order, not the position in the list.
      vectors[countOf(item?.index) ?? position] = [...vector];
    }
    // `includes` also sees holes, which `some` would skip.
    if (vectors.length !== data.length || (vectors as unknown[]).includes(undefined))
      throw invalid("data[].index");
    return { model: nameOf(fields?.model) ?? model, vectors };
  },
  meter: createEmbeddingsMeter,
};

function invalid(field: string) {
  return fail("provider_invalid_answer", `the provider's embeddings have no usable ${field}`);
}
