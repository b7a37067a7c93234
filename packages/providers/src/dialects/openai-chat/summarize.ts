import { fail } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isJsonObject } from "@tollgate/core/wire/json-fields";
import type { RequestSummary } from "../../dialect.ts";
import {
  invalid,
  readBoolean,
  readNumber,
  readObject,
  readPositiveInteger,
  requireString,
} from "./request-fields.ts";

/** What every chat call needs, native or translated. The provider validates the rest. */
export function summarize(body: JsonObject): RequestSummary {
  const model = requireString(body, "model");
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalid("messages", "must be a non-empty array");
  for (const [position, message] of messages.entries()) {
    if (!isJsonObject(message)) throw invalid(`messages[${position}]`, "must be an object");
    if (typeof message.role !== "string") throw invalid(`messages[${position}].role`, "must be a string");
  }
  // xAI answers a deferred call with an id, and the result is fetched without us: its cost would never be seen.
  if (body.deferred === true)
    throw fail("unsupported_feature", "`deferred` is not available through the gateway");
  const stream = readBoolean(body, "stream") ?? false;
  const maxTokens = readPositiveInteger(body, "max_tokens");
  const maxCompletionTokens = readPositiveInteger(body, "max_completion_tokens");
  readNumber(body, "temperature");
  return {
    model,
    stream,
    wantsStreamUsage: stream && readObject(body, "stream_options")?.include_usage === true,
    maxOutputTokens: maxCompletionTokens ?? maxTokens ?? null,
    choices: readChoices(body),
  };
}

/** OpenAI's maximum. Each choice is reserved on budgets, so an absurd number would block all other calls. */
const MAX_CHOICES = 128;

function readChoices(body: JsonObject): number {
  const choices = readPositiveInteger(body, "n") ?? 1;
  if (choices > MAX_CHOICES) throw invalid("n", `must be at most ${MAX_CHOICES}`);
  return choices;
}

/** Tools and the system messages before the first turn: what a provider may have cached. */
export function prefix(body: JsonObject): string {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  let end = 0;
  while (end < messages.length && isSystem(messages[end])) end++;
  const tools = body.tools ?? body.functions ?? null;
  const hasTools = Array.isArray(tools) && tools.length > 0;
  if (!hasTools && end === 0) return "";
  return JSON.stringify([hasTools ? tools : null, messages.slice(0, end)]);
}

function isSystem(message: unknown): boolean {
  return isJsonObject(message) && (message.role === "system" || message.role === "developer");
}
