import { fail } from "@tollgate/core/errors";

/** `models/` is how Google itself lists its models, so clients send the name with and without it. */
export function bareModel(model: string): string {
  return model.startsWith("models/") ? model.slice("models/".length) : model;
}

/**
 * The model is the client's own text and part of the path: unescaped, `x:countTokens?` or `../files` would reach
 * another endpoint with the caller's key.
 */
export function modelPath(model: string, method: string): string {
  const name = bareModel(model);
  if (name === "" || !name.isWellFormed()) throw fail("invalid_request", "`model` is not a valid model name");
  return `/v1beta/models/${encodeURIComponent(name)}:${method}`;
}
