import { fail } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isJsonObject } from "@tollgate/core/wire/json-fields";
import type { RequestSummary } from "../../dialect.ts";

/** Only what every call needs: a native body is sent to Anthropic unchanged, and Anthropic validates the rest. */
export function summarize(body: JsonObject): RequestSummary {
  const { model, max_tokens: maxTokens, messages, stream } = body;
  if (typeof model !== "string" || model === "") throw invalid("`model` is required and must be a string");
  // 0 is valid: it fills the cache and requests no answer.
  if (typeof maxTokens !== "number" || !Number.isSafeInteger(maxTokens) || maxTokens < 0) {
    throw invalid("`max_tokens` is required and must be an integer of 0 or more");
  }
  if (!Array.isArray(messages)) throw invalid("`messages` is required and must be an array");
  if (messages.length === 0) throw invalid("`messages` must not be empty");
  messages.forEach(checkMessage);
  if (stream !== undefined && stream !== null && typeof stream !== "boolean") {
    throw invalid("`stream` must be true or false");
  }
  return {
    model,
    stream: stream === true,
    wantsStreamUsage: true, // in this dialect every stream contains it
    maxOutputTokens: maxTokens,
    choices: 1,
  };
}

function checkMessage(message: unknown, index: number): void {
  if (!isJsonObject(message)) throw invalid(`\`messages[${index}]\` must be an object`);
  if (typeof message.role !== "string") throw invalid(`\`messages[${index}].role\` must be a string`);
  const { content } = message;
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw invalid(`\`messages[${index}].content\` must be a string or an array`);
  }
}

function invalid(sentence: string) {
  return fail("invalid_request", sentence);
}
