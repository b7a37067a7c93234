import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { modelTraits } from "../../openai/model-traits.ts";

/**
 * Uses the field that the client uses: old models and other servers may not know the new one, nor new models the old.
 * If the client set neither, the one that the model accepts.
 */
export function capOutput(body: JsonObject, tokens: number, model: string): JsonObject {
  const usesOld = isSet(body.max_tokens);
  const usesNew = isSet(body.max_completion_tokens);
  if (!usesOld && !usesNew) return { ...body, [modelTraits(model).limitField]: tokens };
  return {
    ...body,
    ...(usesOld && { max_tokens: tokens }),
    ...(usesNew && { max_completion_tokens: tokens }),
  };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
