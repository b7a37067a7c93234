import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Dialect } from "./dialect.ts";
import type { Provider } from "./provider.ts";
import { asksToThink } from "./thinks-unseen.ts";

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
  return isTranslated && raisesLimit(provider, model, body) ? withoutReasoning(capped) : capped;
}

/** Whether a translated request may get more output than it asks for, because it asks for thinking too. */
function raisesLimit(provider: Provider, model: string, body: JsonObject): boolean {
  return provider.conversation.addsThinkingToLimit?.(model) === true && asksToThink(body);
}

function withoutReasoning(body: JsonObject): JsonObject {
  const { reasoning_effort: _effort, reasoning: _reasoning, thinking: _thinking, ...rest } = body;
  return rest;
}
