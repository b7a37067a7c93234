import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Dialect } from "./dialect.ts";
import type { Provider } from "./provider.ts";

/** The same request with answers of no more than `tokens`, however this provider counts what it thinks. */
export function boundOutput(
  dialect: Dialect,
  provider: Provider,
  model: string,
  body: JsonObject,
  tokens: number,
): JsonObject {
  const capped = dialect.capOutput(body, tokens, model);
  // Told to anthropic in another dialect, a budget for thinking would be added to the limit.
  const thinksApart = provider.id === "anthropic" && provider.native[dialect.id] === undefined;
  return thinksApart && capped !== body ? withoutReasoning(capped) : capped;
}

function withoutReasoning(body: JsonObject): JsonObject {
  const { reasoning_effort: _effort, reasoning: _reasoning, thinking: _thinking, ...rest } = body;
  return rest;
}
