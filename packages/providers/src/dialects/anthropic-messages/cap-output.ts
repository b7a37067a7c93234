import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isJsonObject } from "@tollgate/core/wire/json-fields";

const MIN_THINKING_TOKENS = 1024;

/** Thinking counts toward `max_tokens` and must be less; if not even the minimum fits, it is removed. */
export function capOutput(body: JsonObject, tokens: number): JsonObject {
  const capped = { ...body, max_tokens: tokens };
  const { thinking } = body;
  if (!isJsonObject(thinking) || typeof thinking.budget_tokens !== "number") return capped;
  if (thinking.budget_tokens < tokens) return capped;
  const half = Math.floor(tokens / 2);
  if (half < MIN_THINKING_TOKENS) return { ...capped, thinking: { type: "disabled" } };
  return { ...capped, thinking: { ...thinking, budget_tokens: half } };
}
