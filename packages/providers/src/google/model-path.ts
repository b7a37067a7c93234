import { fail } from "@tollgate/core/errors";

/** Google itself lists its models with a `models/` prefix, so clients send names with and without it. */
export function bareModel(model: string): string {
  return model.startsWith("models/") ? model.slice("models/".length) : model;
}

/**
 * The model name is client input and part of the path: unescaped, `x:countTokens?` or `../files` would reach another
 * endpoint with the caller's key.
 */
export function modelPath(model: string, method: string): string {
  const name = bareModel(model);
  if (name === "" || !name.isWellFormed()) throw fail("invalid_request", "`model` is not a valid model name");
  return `/v1beta/models/${encodeURIComponent(name)}:${method}`;
}
