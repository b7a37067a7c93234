import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { listOf, objectOf, textOf } from "../json-object.ts";
import { createResponseMemory } from "../openai/response-memory.ts";
import type { AnthropicProblem } from "./anthropic-error.ts";

/**
 * `thread` (a beta that the official tool runner uses by default): the server stores the conversation, and each turn
 * sends only what is new. A server that ignores the field would answer a tool result without the question.
 */
const memory = createResponseMemory(16 * 1024 * 1024);

export const threadNotFound: AnthropicProblem = {
  status: 404,
  type: "not_found_error",
  message: "thread: no state was found for this previous_message_id",
  details: { error_code: "thread_not_found" },
};

/** The request with its thread's earlier turns; null if the thread does not exist. */
export function resumeThread(owner: string, body: JsonObject): JsonObject | null {
  const { thread, ...request } = body;
  if (!isJsonObject(thread) || thread.type !== "continue") return request;
  const held = memory.recall(owner, textOf(thread.previous_message_id));
  if (held === null) return null;
  return { ...held.response, ...request, messages: [...held.input, ...listOf(request.messages)] };
}

/** `request` is the resumed one. */
export function holdThread(owner: string, body: JsonObject, request: JsonObject, answer: JsonObject): void {
  if (!isJsonObject(body.thread)) return;
  const { system, tools } = request;
  memory.remember(owner, textOf(answer.id), {
    response: { ...(system === undefined ? {} : { system }), ...(tools === undefined ? {} : { tools }) },
    input: [...listOf(request.messages).map(objectOf), { role: "assistant", content: answer.content }],
  });
}
