import type { JsonObject } from "../../dialect.ts";

/** In the field that the client knows: old models and other servers may not know the new one, nor new models the old. */
export function capOutput(body: JsonObject, tokens: number): JsonObject {
  const usesOldField = isSet(body.max_tokens) && !isSet(body.max_completion_tokens);
  if (usesOldField) return { ...body, max_tokens: tokens };
  const capped = { ...body, max_completion_tokens: tokens };
  return isSet(body.max_tokens) ? { ...capped, max_tokens: tokens } : capped;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
