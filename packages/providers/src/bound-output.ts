import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Dialect } from "./dialect.ts";
import type { Provider } from "./provider.ts";

/** The same request with answers of at most `tokens`, including thinking. */
export function boundOutput(
  dialect: Dialect,
  provider: Provider,
  model: string,
  body: JsonObject,
  tokens: number,
): JsonObject {
  const capped = dialect.capOutput(body, tokens, model);
  const isTranslated = provider.native[dialect.id] === undefined;
  const exceedsCap = isTranslated && provider.conversation.addsThinkingToLimit === true;
  return exceedsCap && capped !== body ? withoutReasoning(capped) : capped;
}

function withoutReasoning(body: JsonObject): JsonObject {
  const { reasoning_effort: _effort, reasoning: _reasoning, thinking: _thinking, ...rest } = body;
  return rest;
}
