import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { countTokens } from "../count-tokens.ts";
import { embedText } from "../embed-text.ts";
import { listOf, numberOrNull, objectOf } from "../json-object.ts";
import { type GoogleProblem, invalidArgument } from "./google-error.ts";
import { indentedGoogleJson } from "./google-json.ts";
import { pickField } from "./pick-field.ts";
import { partsOf, partsText } from "./read-content-prompt.ts";

const OWN_DIMENSIONS = 3072;

export function checkEmbedding(model: string, request: JsonObject): GoogleProblem | null {
  const content = objectOf(request.content);
  if (partsText(partsOf(content)) === "")
    return invalidArgument("* EmbedContentRequest.content: is not specified\n");
  const named = request.model;
  if (named !== undefined && named !== `models/${model}`) {
    return invalidArgument("* BatchEmbedContentsRequest.requests: model must match the one of the URL\n");
  }
  return null;
}

export function checkBatch(model: string, body: JsonObject): GoogleProblem | null {
  const requests = listOf(body.requests).map(objectOf);
  if (requests.length === 0)
    return invalidArgument("* BatchEmbedContentsRequest.requests: is not specified\n");
  for (const request of requests) {
    const problem = checkEmbedding(model, request);
    if (problem) return problem;
    if (request.model === undefined) {
      return invalidArgument("* BatchEmbedContentsRequest.requests[0].model: model is required.\n");
    }
  }
  return null;
}

export function embeddingText(request: JsonObject): string {
  return partsText(partsOf(objectOf(request.content)));
}

export function embedContentBody(model: string, request: JsonObject): string {
  return indentedGoogleJson({ embedding: embed(request), ...usage(model, [request]) });
}

export function batchEmbedBody(model: string, body: JsonObject): string {
  const requests = listOf(body.requests).map(objectOf);
  return indentedGoogleJson({ embeddings: requests.map(embed), ...usage(model, requests) });
}

function embed(request: JsonObject): JsonObject {
  const wanted = numberOrNull(pickField(request, "outputDimensionality")) ?? OWN_DIMENSIONS;
  const dimensions = Math.min(Math.max(Math.floor(wanted), 1), OWN_DIMENSIONS);
  return { values: embedText(embeddingText(request), dimensions) };
}

/** The first embedding model reports no tokens; later ones do, and spell `promptTokenDetails` differently. */
function usage(model: string, requests: readonly JsonObject[]): JsonObject {
  if (model === "gemini-embedding-001") return {};
  const tokenCount = requests.reduce((sum, request) => sum + countTokens(embeddingText(request)), 0);
  const promptTokenDetails = [{ modality: "TEXT", tokenCount }];
  return { usageMetadata: { promptTokenCount: tokenCount, promptTokenDetails } };
}
