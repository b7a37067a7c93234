import { answerConversation } from "../answer-conversation.ts";
import { bearerKey, type Call } from "../call.ts";
import { invalidRequest } from "./anthropic-error.ts";
import { anthropicError, anthropicWire } from "./anthropic-wire.ts";
import { checkMessagesRequest } from "./check-messages-request.ts";
import { countInput } from "./count-input.ts";
import { holdThread, resumeThread, threadNotFound } from "./hold-thread.ts";
import { messagesConversation } from "./message-answer.ts";

export async function simulateAnthropic(call: Call): Promise<Response> {
  const key = call.headers.get("x-api-key") || bearerKey(call.headers);
  if (!key) {
    return anthropicError(call, { status: 401, type: "authentication_error", message: "invalid x-api-key" });
  }
  const countsOnly = call.path === "/v1/messages/count_tokens";
  if (call.method !== "POST" || (!countsOnly && call.path !== "/v1/messages")) {
    return anthropicError(call, { status: 404, type: "not_found_error", message: "Not Found" });
  }
  const version = call.headers.get("anthropic-version");
  if (!version) return anthropicError(call, invalidRequest("anthropic-version: header is required"));
  const asked = call.body;
  if (!asked) return anthropicError(call, invalidRequest("The request body is not valid JSON"));
  const hasBeta = call.headers.has("anthropic-beta") || call.query.get("beta") === "true";
  if (asked.thread !== undefined && !hasBeta) {
    return anthropicError(call, invalidRequest("thread: Extra inputs are not permitted"));
  }
  const body = resumeThread(key, asked);
  if (!body) return anthropicError(call, threadNotFound);
  const problem = checkMessagesRequest(body, { version, hasBeta, countsOnly });
  if (problem) return anthropicError(call, problem);
  const conversation = messagesConversation(call, body, answer => holdThread(key, asked, body, answer));
  if (!countsOnly) return answerConversation(call, anthropicWire(call), conversation);
  const { total } = countInput(body);
  return answerConversation(call, anthropicWire(call), {
    ...conversation,
    stream: false,
    whole: () => JSON.stringify({ input_tokens: total }),
  });
}
